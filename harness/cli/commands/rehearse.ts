import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { CommandModule } from 'yargs';
import { SquallError } from '../../errors/index.ts';
import type { ResolvedScenario } from '../../scenario/index.ts';
import { parseDurationMs } from '../../units/index.ts';
import { currentCall } from '../current-call.ts';
import { givenParameters, listsFor, parameterOptions } from '../parameter-options.ts';
import { requireWhole } from '../require-whole.ts';
import { runRequest } from '../run-options.ts';
import { didYouMean } from '../suggest.ts';

interface RehearseArguments {
  readonly topology: string;
  readonly baseline: string;
  readonly candidate: readonly string[];
  readonly waves?: number | undefined;
  readonly 'most-waves'?: number | undefined;
  readonly budget?: string | undefined;
  readonly set: readonly string[];
  readonly seed?: string | undefined;
  readonly resume: boolean;
  readonly rolling: boolean;
  readonly plan: boolean;
  readonly times: number;
  readonly 'parallel-beds'?: number | undefined;
  readonly reports: string;
  readonly json: boolean;
  readonly yes?: boolean;
}

export const command: CommandModule<object, RehearseArguments> = {
  command: 'rehearse <topology>',
  describe: 'a release against its candidates, wave by wave in turns, until it is clear which to ship',
  builder: (cli) =>
    cli
      .positional('topology', {
        type: 'string',
        demandOption: true,
        describe: 'a topology with a `rehearsal`, such as topologies/ant-join-wave.yaml',
      })
      .option('baseline', { type: 'string', demandOption: true, describe: 'image of the release' })
      .option('candidate', {
        type: 'string',
        array: true,
        nargs: 1,
        demandOption: true,
        describe: 'image of a candidate; may be given several times',
      })
      .option('waves', { type: 'number', describe: 'waves a side before the first look' })
      .option('most-waves', { type: 'number', describe: 'waves a side after which it ends in any case' })
      .option('budget', { type: 'string', describe: 'time after which no round begins, such as 2h' })
      .option('set', {
        type: 'string',
        array: true,
        nargs: 1,
        default: [] as string[],
        describe:
          'a parameter of the wave as NAME=VALUE[,VALUE]; several values are conditions for all sides',
      })
      .option('rolling', {
        type: 'boolean',
        default: false,
        describe:
          'after each wave the baseline’s nodes become the side’s version, one by one, and then the baseline’s again',
      })
      .option('seed', { type: 'string', describe: 'repeats it: the same waves' })
      .option('resume', {
        type: 'boolean',
        default: false,
        describe: 'go on with the newest rehearsal of the same plan; its waves count',
      })
      .option('plan', {
        type: 'boolean',
        default: false,
        describe: 'only say what it would take: time, memory, disk',
      })
      .option('times', {
        type: 'number',
        default: 1,
        describe: 'the whole rehearsal so often: of a baseline against itself, its rate of false alarms',
      })
      .option('parallel-beds', {
        type: 'number',
        describe:
          'waves side by side, 1 when left out: two waves of real nodes take the host from each other',
      })
      .option('reports', { type: 'string', default: 'reports', describe: 'folder for records and reports' })
      .option('json', { type: 'boolean', default: false, describe: 'print the outcome as JSON' })
      .example(
        '$0 rehearse topologies/ant-join-wave.yaml --baseline ant-node:0.22.0 --candidate ant-node:0.23.1',
        'the release against the candidate',
      )
      .example(
        '$0 rehearse topologies/ant-join-smoke.yaml --baseline ant-node:0.23.1 --candidate ant-node:./target/release/ant-node --budget 30m',
        'a binary of your own, for half an hour',
      )
      .example(
        '$0 rehearse topologies/fetch-join-smoke.yaml --baseline fetch-node@before --candidate fetch-node@before --times 20 --parallel-beds 4',
        'how often it cries wolf',
      )
      .epilogue(
        'Exit codes: 0 better or no worse, 1 worse or something lost, 2 unclear, 3 wrong input, 4 broken.',
      ) as never,
  handler: async (args) => {
    const argv = currentCall();
    requireWhole('times', args.times);
    const budgetMs = args.budget === undefined ? undefined : parseDurationMs(args.budget);
    const [{ readRehearsal }, { loadSuite }, session, { underConsole }] = await Promise.all([
      import('../../topology/index.ts'),
      import('../../suite/index.ts'),
      import('../../session/index.ts'),
      import('../run-console.ts'),
    ]);
    const topology = topologyFile(args.topology);
    const spec = readRehearsal(topology);
    const suite = await loadSuite(resolve(dirname(topology), spec.suite));
    const scenario = requireScenario(suite.scenarios, spec.scenario, topology);
    const given = givenParameters({ set: args.set }, parameterOptions([scenario]));
    const lists = listsFor(scenario, given);
    const common = {
      topology,
      spec,
      scenario,
      baseline: args.baseline,
      candidates: args.candidate,
      command: argv,
      ...(lists && { lists }),
      ...(args.waves !== undefined && { waves: args.waves }),
      ...(args['most-waves'] !== undefined && { mostWaves: args['most-waves'] }),
      ...runRequest(args),
      rolling: args.rolling,
      ...(budgetMs !== undefined && { budgetMs }),
      nowMs: () => performance.now(),
    };
    if (args.plan) {
      const { forecast, room } = await session.planRehearsal({
        ...common,
        signal: new AbortController().signal,
      });
      const { describeForecast } = await import('../../rehearsal/index.ts');
      process.stdout.write(
        args.json
          ? `${JSON.stringify({ forecast, room }, undefined, 2)}\n`
          : describeForecast(forecast, room),
      );
      return;
    }
    await underConsole(async (around) => {
      if (args.times > 1) {
        const { text, counts, rehearsals, exitCode } = await session.repeatRehearsal(
          {
            ...common,
            seed: args.seed ?? randomBytes(4).readUInt32BE().toString(),
            resume: args.resume,
            ...around,
          },
          args.times,
        );
        const paths = rehearsals.map(({ dir }) => join(dir, session.REHEARSAL_FILE));
        return {
          output: args.json
            ? `${JSON.stringify({ counts, exitCode, paths }, undefined, 2)}\n`
            : `${text}${paths.map((path) => `${path}\n`).join('')}`,
          exitCode,
        };
      }
      const executed = await session.executeRehearsal({
        ...common,
        resume: args.resume,
        ...around,
      });
      const paths = [...executed.reports, join(executed.dir, session.REHEARSAL_FILE)];
      return {
        output: args.json
          ? `${JSON.stringify({ ...executed.result, exitCode: session.rehearsalExit(executed), paths }, undefined, 2)}\n`
          : `${executed.text}\n${paths.map((path) => `${path}\n`).join('')}`,
        exitCode: session.rehearsalExit(executed),
      };
    });
  },
};

/** A path, or a name under topologies/. */
function topologyFile(word: string): string {
  const found = [word, join('topologies', word), join('topologies', `${word}.yaml`)].find(
    (path) => /\.ya?ml$/.test(path) && existsSync(path),
  );
  if (found !== undefined) return found;
  throw new SquallError(
    `topology ${word}: there is no such file; expected a YAML file or a name under topologies/.`,
    {
      code: 'topology-not-found',
      blame: 'input',
    },
  );
}

function requireScenario(
  scenarios: readonly ResolvedScenario[],
  name: string | undefined,
  topology: string,
): ResolvedScenario {
  const names = scenarios.map((one) => one.name);
  const found = name === undefined ? scenarios : scenarios.filter((one) => one.name === name);
  if (found.length === 1 && found[0]) return found[0];
  throw new SquallError(
    name === undefined
      ? `${topology}: its suite has ${names.length} scenarios; expected rehearsal.scenario with one of ${names.join(', ')}.`
      : `${topology}: rehearsal.scenario "${name}" is none of its suite's. ${didYouMean(name, names)}`,
    { code: 'unknown-scenario', blame: 'input' },
  );
}
