import { join } from 'node:path';
import type { CommandModule } from 'yargs';
import { plainLines } from '../../report/index.ts';
import { parseDurationMs } from '../../units/index.ts';
import { currentCall } from '../current-call.ts';
import { requireWhole } from '../require-whole.ts';
import { runRequest } from '../run-options.ts';

interface ExploreArguments {
  readonly exploration: string;
  readonly for: string;
  readonly seed: string | undefined;
  readonly variant: string | undefined;
  readonly batch: number;
  readonly confirm: number;
  readonly 'shrink-trials': number;
  readonly corpus: string | undefined;
  readonly plan: boolean;
  readonly 'parallel-beds': number | undefined;
  readonly reports: string;
  readonly yes?: boolean;
}

/** `squall explore FILE --for 30m`: random fault schedules against invariants. */
export const command: CommandModule<object, ExploreArguments> = {
  command: 'explore <exploration>',
  describe: 'random fault schedules against invariants; what breaks one is shrunk and kept',
  builder: (cli) =>
    cli
      .positional('exploration', {
        type: 'string',
        demandOption: true,
        describe:
          'a *.explore.yaml (docs/exploration.md), or the name of a topology that one under suites/ explores',
      })
      .option('for', { type: 'string', default: '30m', describe: 'how long; what runs then still ends' })
      .option('seed', {
        type: 'string',
        describe: 'the corpus’s own when left out: it goes on where it stopped',
      })
      .option('variant', { type: 'string', describe: 'variant or mutant in place of the file’s' })
      .option('batch', {
        type: 'number',
        default: 4,
        describe: 'schedules tried in one run before looking at them',
      })
      .option('confirm', {
        type: 'number',
        default: 5,
        describe: 'fresh trials that measure how often a finding shows',
      })
      .option('shrink-trials', {
        type: 'number',
        default: 40,
        describe: 'trials that shrinking one finding may take',
      })
      .option('corpus', {
        type: 'string',
        describe: 'folder that is kept between runs; REPORTS/explore/NAME',
      })
      .option('plan', {
        type: 'boolean',
        default: false,
        describe: 'say what would be tried and how many schedules there is time for; start nothing',
      })
      .option('parallel-beds', { type: 'number', describe: 'beds side by side; what the host has room for' })
      .option('reports', { type: 'string', default: 'reports', describe: 'folder for records' })
      .example(
        '$0 explore suites/memberlist/members.explore.yaml --for 30m',
        'goes on where the last one stopped',
      )
      .example(
        '$0 explore memberlist-16 --variant both-without-grace --for 30m',
        'does it find a mutant by itself?',
      )
      .epilogue(
        'Exit codes: 0 nothing new, 1 an invariant broken in a new way, 2 no schedule proves anything.',
      ) as never,
  handler: async (args) => {
    const forMs = parseDurationMs(args.for);
    for (const name of ['batch', 'confirm'] as const) requireWhole(name, args[name]);
    requireWhole('shrink-trials', args['shrink-trials'], { least: 0 });
    const [
      { readExploration },
      { executeExplore, findExploration, planExplore },
      { useSuite },
      { underConsole },
    ] = await Promise.all([
      import('../../exploration/index.ts'),
      import('../../session/index.ts'),
      import('../../suite/index.ts'),
      import('../run-console.ts'),
    ]);
    const read = readExploration(findExploration(args.exploration));
    const exploration =
      args.variant === undefined
        ? read
        : { ...read, overrides: { ...read.overrides, variant: args.variant } };
    for (const word of exploration.uses ?? []) await useSuite(word, exploration.folder);
    // A mutant's findings are not the shipped one's: each variant has a corpus of its own.
    const name = args.variant === undefined ? exploration.name : `${exploration.name}-${args.variant}`;
    const how = {
      exploration,
      command: currentCall(),
      forMs,
      batch: args.batch,
      corpus: args.corpus ?? join(args.reports, 'explore', name),
      ...runRequest(args),
    };
    if (args.plan) {
      process.stdout.write(plainLines(await planExplore(how)));
      return;
    }
    await underConsole(async (around) => {
      const { text, paths, exitCode } = await executeExplore({
        ...how,
        nowMs: () => performance.now(),
        confirm: args.confirm,
        shrinkTrials: args['shrink-trials'],
        ...around,
      });
      return { output: `${text}${paths.map((path) => `${path}\n`).join('')}`, exitCode };
    });
  },
};
