import type { CommandModule } from 'yargs';
import { SquallError } from '../../errors/index.ts';
import { findRunDir, readRun, readTrial, type TrialRef } from '../../record/index.ts';
import { plainText } from '../../report/index.ts';
import { mergeTimeline } from '../../timeline/index.ts';
import { select } from '../../topology/index.ts';
import { parseDurationMs } from '../../units/index.ts';

interface TimelineArguments {
  readonly run: string;
  readonly point: string | undefined;
  readonly trial: number | undefined;
  readonly on: string | undefined;
  readonly grep: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly events: boolean;
  readonly logs: boolean;
  readonly json: boolean;
}

/** `squall timeline RUN`: the logs of all nodes, the events and the faults of a recorded trial, merged. */
export const command: CommandModule<object, TimelineArguments> = {
  command: 'timeline [run]',
  describe: 'logs, events and faults of a recorded trial on one timeline, filtered',
  builder: (cli) =>
    cli
      .positional('run', { type: 'string', default: 'reports/latest', describe: 'folder or id of the run' })
      .option('point', {
        type: 'string',
        describe: 'which point, by a part of its id; the first when left out',
      })
      .option('trial', { type: 'number', describe: 'which of its trials; the first when left out' })
      .option('on', { type: 'string', describe: 'only these nodes (a selector)' })
      .option('grep', {
        type: 'string',
        describe: 'only what matches this regular expression (node, then text)',
      })
      .option('from', { type: 'string', describe: 'from so long after the trial began: 40s' })
      .option('to', { type: 'string', describe: 'to so long after it began' })
      .option('events', { type: 'boolean', default: true, describe: 'events; --no-events leaves them out' })
      .option('logs', { type: 'boolean', default: true, describe: 'log lines; --no-logs leaves them out' })
      .option('json', { type: 'boolean', default: false, describe: 'JSON lines' })
      .example(
        "$0 timeline reports/latest --on 'member[1..4]' --from 40s --to 1m",
        'four nodes around a release',
      )
      .example('$0 timeline --grep "suspect|dead" --no-logs', 'who suspected whom, of all nodes')
      .epilogue(
        'Marks: "~" placed by the wall clock of the line itself, ">" has no time and stands after the line before it.',
      ) as never,
  handler: async (args) => {
    const { trials } = await readRun(await findRunDir(args.run));
    const { dir } = chooseTrial(args.run, trials, args.point, args.trial);
    const { nodes } = await readTrial(dir);
    const counted = new Map<string, number>();
    const selectable = nodes.map(({ name, role }) => {
      const index = (counted.get(role) ?? 0) + 1;
      counted.set(role, index);
      return { name, role, index, labels: {} };
    });
    const entries = mergeTimeline(dir, {
      events: args.events,
      lines: args.logs,
      ...(args.on !== undefined && { nodes: new Set(select(args.on, selectable)) }),
      ...(args.grep !== undefined && { pattern: readPattern(args.grep) }),
      ...(args.from !== undefined && { fromMs: parseDurationMs(args.from) }),
      ...(args.to !== undefined && { toMs: parseDurationMs(args.to) }),
    });
    for await (const entry of entries) {
      const { offsetMs, node, kind, text, certainty } = entry;
      const mark = { exact: ' ', wall: '~', after: '>' }[certainty];
      const time = `${mark}${(offsetMs / 1_000).toFixed(3).padStart(9)}`;
      const line = args.json
        ? JSON.stringify(entry)
        : `${time}  ${plainText(node)}  ${kind === 'mark' ? '── ' : kind === 'event' ? '• ' : ''}${plainText(text)}`;
      // A reader that is slower than the disk is waited for.
      if (!process.stdout.write(`${line}\n`)) await drained();
    }
  },
};

async function drained(): Promise<void> {
  await new Promise<void>((resolve) => {
    const go = (): void => {
      process.stdout.off('drain', go);
      process.stdout.off('error', go);
      process.stdout.off('close', go);
      resolve();
    };
    process.stdout.on('drain', go).on('error', go).on('close', go);
  });
}

function chooseTrial(
  run: string,
  trials: readonly TrialRef[],
  point: string | undefined,
  number: number | undefined,
): TrialRef {
  const finished = trials.filter((one) => one.finished);
  const found = finished.find(
    (one) =>
      (point === undefined || one.pointId.includes(point)) && (number === undefined || one.trial === number),
  );
  if (found) return found;
  const points = [...new Set(finished.map((one) => one.pointId))];
  throw new SquallError(
    `run ${run}: has no finished trial${point === undefined ? '' : ` at "${point}"`}${number === undefined ? '' : ` number ${number}`}.`,
    {
      code: 'trial-not-found',
      blame: 'input',
      hint: points.length > 0 ? `Its points are: ${points.slice(0, 10).join('; ')}.` : '',
    },
  );
}

function readPattern(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (cause) {
    throw new SquallError(`--grep ${text}: no regular expression; ${(cause as Error).message}.`, {
      code: 'bad-pattern',
      blame: 'input',
      cause,
    });
  }
}
