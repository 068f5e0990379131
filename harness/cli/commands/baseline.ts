import type { CommandModule } from 'yargs';
import {
  BASELINES_DIR,
  baselinesIn,
  findBaseline,
  machineClassText,
  sameMachineClass,
  takeBaseline,
  writeBaseline,
} from '../../baseline/index.ts';
import { formatQuantity } from '../../check/index.ts';
import { SquallError } from '../../errors/index.ts';
import { findRunDir } from '../../record/index.ts';
import { plainText, textTable } from '../../report/index.ts';
import { estimate } from '../../stats/index.ts';

interface BaselineArguments {
  readonly action: 'save' | 'list' | 'show';
  readonly which?: string | undefined;
  readonly name?: string | undefined;
  readonly measure?: readonly string[] | undefined;
  readonly dir: string;
  readonly json: boolean;
}

/** `squall baseline save|list|show`: figures of a run, kept in the repository. */
export const command: CommandModule<object, BaselineArguments> = {
  command: 'baseline <action> [which]',
  describe: 'keep figures of a run, for bounds that are relative to them',
  builder: (cli) =>
    cli
      .positional('action', {
        choices: ['save', 'list', 'show'] as const,
        demandOption: true,
        describe: 'save a run as a baseline, list what there is, show one',
      })
      .positional('which', {
        type: 'string',
        describe: 'the run to save (reports/latest), or the baseline to show',
      })
      .option('name', {
        type: 'string',
        requiresArg: true,
        describe: 'name of the file to save, such as release-1.4',
      })
      .option('measure', {
        type: 'string',
        array: true,
        nargs: 1,
        describe: 'only this measure; may be given again',
      })
      .option('dir', { type: 'string', default: BASELINES_DIR, describe: 'folder of baselines' })
      .option('json', { type: 'boolean', default: false, describe: 'print JSON' })
      .example('$0 baseline save reports/latest --name release-1.4', 'then commit baselines/release-1.4.json')
      .example('$0 baseline list', 'names, machines, and which may be used here')
      .example('$0 baseline show release-1.4', 'each measure at each point'),
  handler: async (args) => {
    if (args.action === 'list') return await list(args);
    if (args.action === 'show') return await show(args);
    await save(args);
  },
};

async function save({ which, name, measure, dir, json }: BaselineArguments): Promise<void> {
  if (name === undefined) {
    throw new SquallError('baseline save: has no name; expected --name NAME.', {
      code: 'no-name',
      blame: 'input',
    });
  }
  const { currentCommit } = await import('../../session/index.ts');
  const commit = await currentCommit();
  const baseline = await takeBaseline(await findRunDir(which ?? 'reports/latest'), {
    name,
    savedAt: new Date().toISOString(),
    ...(commit && { commit: `${commit.hash}${commit.dirty ? ' and changes' : ''}` }),
    ...(measure && { measures: measure }),
  });
  const path = await writeBaseline(dir, baseline);
  process.stdout.write(json ? `${JSON.stringify(baseline, undefined, 2)}\n` : `${path}\n`);
}

async function list({ dir, json }: BaselineArguments): Promise<void> {
  const { hostClass } = await import('../../session/index.ts');
  const here = hostClass(undefined);
  const baselines = await baselinesIn(dir);
  if (json) {
    process.stdout.write(`${JSON.stringify(baselines, undefined, 2)}\n`);
    return;
  }
  const rows = baselines.map((one) => [
    one.name,
    one.savedAt.slice(0, 10),
    String(one.points.length),
    machineClassText(one.host),
    sameMachineClass(one.host, here) ? 'as it is' : 'with --calibration',
  ]);
  process.stdout.write(
    rows.length === 0
      ? `no baseline in ${dir}\n`
      : `${textTable(
          ['baseline', 'saved', 'points', 'machine', 'here'],
          rows.map((row) => row.map((cell) => plainText(cell))),
        )}\n`,
  );
}

async function show({ which, dir, json }: BaselineArguments): Promise<void> {
  if (which === undefined) {
    throw new SquallError('baseline show: names none; expected a name, a file or a run.', {
      code: 'no-name',
      blame: 'input',
    });
  }
  const named = (await baselinesIn(dir)).find((one) => one.name === which);
  const baseline = named ?? (await findBaseline(which));
  if (json) {
    process.stdout.write(`${JSON.stringify(baseline, undefined, 2)}\n`);
    return;
  }
  const rows = baseline.points.flatMap((point) =>
    Object.entries(point.measures).map(([name, { unit, values }]) => {
      const { value, interval } = estimate(values, 'mean', { seed: `${point.pointId}/${name}` });
      const range = interval
        ? `${formatQuantity(interval.low, '')} to ${formatQuantity(interval.high, unit)}`
        : '–';
      return [
        `${point.suite}/${point.scenario}`,
        point.pointId,
        name,
        formatQuantity(value, unit),
        range,
        String(values.length),
      ];
    }),
  );
  const head = [
    `baseline ${baseline.name}: run ${baseline.runId}${baseline.commit ? ` of ${baseline.commit}` : ''}`,
    `machine  ${machineClassText(baseline.host)}; kernel ${baseline.host.kernel}, engine ${baseline.host.engine}`,
  ];
  const header = ['scenario', 'point', 'measure', 'mean', '95 % interval', 'trials'];
  process.stdout.write(
    `${head.map((one) => plainText(one)).join('\n')}\n\n${textTable(
      header,
      rows.map((row) => row.map((cell) => plainText(cell))),
    )}\n`,
  );
}
