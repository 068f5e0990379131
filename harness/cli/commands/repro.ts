import type { CommandModule } from 'yargs';
import { SquallError, strongestExit } from '../../errors/index.ts';
import type { Oracle } from '../../incident/index.ts';
import { plainLines } from '../../report/index.ts';
import { currentCall } from '../current-call.ts';
import { requireWhole } from '../require-whole.ts';
import { runRequest } from '../run-options.ts';

interface ReproArguments {
  readonly incidents: readonly string[];
  readonly attempts: number;
  readonly seed?: string | undefined;
  readonly batch: number;
  readonly confirm: number;
  readonly oracle?: string | undefined;
  readonly 'shrink-trials': number;
  readonly out?: string | undefined;
  readonly plan: boolean;
  readonly 'parallel-beds'?: number | undefined;
  readonly reports: string;
  readonly yes?: boolean;
}

export const command: CommandModule<object, ReproArguments> = {
  command: 'repro <incidents..>',
  describe: 'make a field incident happen again, shrink it, and write it as a scenario',
  builder: (cli) =>
    cli
      .positional('incidents', {
        type: 'string',
        array: true,
        demandOption: true,
        describe: 'incident files (docs/incidents.md); *.scenario.yaml among them are passed over',
      })
      .option('attempts', {
        type: 'number',
        default: 20,
        describe: 'ways to try until one shows the symptoms',
      })
      .option('seed', { type: 'string', describe: 'repeats a search: the same ways, the same targets' })
      .option('batch', {
        type: 'number',
        default: 4,
        describe: 'ways tried in one run before looking at them',
      })
      .option('confirm', {
        type: 'number',
        default: 5,
        describe: 'fresh trials that measure how often it shows, also with the fix; 0: none',
      })
      .option('oracle', {
        type: 'string',
        describe:
          'what counts as showing it while shrinking, as 2/3; follows how often it showed when left out',
      })
      .option('shrink-trials', {
        type: 'number',
        default: 60,
        describe: 'trials that shrinking may take at most; 0: do not shrink',
      })
      .option('out', {
        type: 'string',
        describe: 'the scenario to write; NAME.scenario.yaml beside the incident',
      })
      .option('plan', {
        type: 'boolean',
        default: false,
        describe: 'say what would be tried and how long it may take; start nothing',
      })
      .option('parallel-beds', { type: 'number', describe: 'beds side by side; what the host has room for' })
      .option('reports', {
        type: 'string',
        default: 'reports',
        describe: 'folder for records and repro.json',
      })
      .example('$0 repro suites/incidents/rack-uplink.incident.yaml', 'search, measure, shrink, write')
      .example('$0 repro suites/incidents/*.incident.yaml --plan', 'what that would be, and how long')
      .example(
        '$0 repro my.incident.yaml --attempts 50 --seed 7 --shrink-trials 0',
        'only look whether it shows',
      )
      .epilogue(
        'Exit codes: 0 reproduced, 1 not reproduced, 2 no attempt proves anything, 3 wrong input, 4 broken.',
      ),
  handler: async (args) => {
    const argv = currentCall();
    for (const name of ['attempts', 'batch'] as const) requireWhole(name, args[name]);
    for (const name of ['confirm', 'shrink-trials'] as const) requireWhole(name, args[name], { least: 0 });
    const oracle = args.oracle === undefined ? undefined : readOracle(args.oracle);
    const files = args.incidents.filter((file) => !/\.scenario\.ya?ml$/.test(file));
    if (files.length === 0 || (args.out !== undefined && files.length > 1)) {
      throw new SquallError(
        files.length === 0 ? 'repro: no incident among the files.' : 'repro: --out is for one incident.',
        { code: 'bad-usage', blame: 'input', hint: 'See docs/incidents.md.' },
      );
    }
    const [{ readIncident }, { executeRepro, planRepro }, { useSuite }, { underConsole }] = await Promise.all(
      [
        import('../../incident/index.ts'),
        import('../../session/index.ts'),
        import('../../suite/index.ts'),
        import('../run-console.ts'),
      ],
    );
    // All are read before anything starts.
    const incidents = files.map((file) => readIncident(file));
    for (const incident of incidents) {
      for (const word of incident.uses ?? []) await useSuite(word, incident.folder);
    }
    const how = {
      command: argv,
      attempts: args.attempts,
      batch: args.batch,
      confirm: args.confirm,
      ...(oracle && { oracle }),
      shrinkTrials: args['shrink-trials'],
      ...(args.out !== undefined && { out: args.out }),
      ...runRequest(args),
    };
    if (args.plan) {
      for (const incident of incidents)
        process.stdout.write(plainLines(await planRepro({ incident, ...how })));
      return;
    }
    await underConsole(async (around) => {
      let output = '';
      const exitCodes: number[] = [];
      for (const incident of incidents) {
        const { text, paths, exitCode } = await executeRepro({ incident, ...how, ...around });
        output += `${text}${paths.map((path) => `${path}\n`).join('')}`;
        exitCodes.push(exitCode);
      }
      return { output, exitCode: strongestExit(exitCodes) };
    });
  },
};

function readOracle(text: string): Oracle {
  const [need, of] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).slice(1).map(Number);
  if (need !== undefined && of !== undefined && need >= 1 && need <= of) return { need, of };
  throw new SquallError(`--oracle ${text}: expected K/N with 1 ≤ K ≤ N, such as 2/3.`, {
    code: 'bad-oracle',
    blame: 'input',
  });
}
