import type { CommandModule } from 'yargs';
import { type Baseline, findBaseline, findNewestBaseline, NEWEST } from '../../baseline/index.ts';
import { SquallError } from '../../errors/index.ts';
import { type GateConfig, gateAnnotations, parseShard } from '../../gate/index.ts';
import { readImages } from '../../image/index.ts';
import type { HostClass } from '../../record/index.ts';
import { plainText } from '../../report/index.ts';
import type { ResolvedScenario } from '../../scenario/index.ts';
import { parseDurationMs } from '../../units/index.ts';
import { currentCall } from '../current-call.ts';
import { readGateFile } from '../gate-file.ts';
import { githubJob } from '../github-job.ts';
import { requireWhole } from '../require-whole.ts';
import { addRunOptions, type RunArguments, runRequest } from '../run-options.ts';

interface GateArguments extends RunArguments {
  readonly config?: string | undefined;
  readonly quick: boolean;
  readonly full: boolean;
  readonly budget?: string | undefined;
  readonly shard?: string | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly baseline?: string | undefined;
  readonly calibration?: string | undefined;
  readonly soak?: number | undefined;
  readonly plan: boolean;
  readonly json: boolean;
}

/** `squall gate`: what guards a release, within a budget of time, as one run with one verdict. */
export const command: CommandModule<object, GateArguments> = {
  command: 'gate',
  describe: 'what guards a release, within a time budget: one verdict, JUnit, annotations',
  builder: (cli) => {
    const options = cli
      .option('config', {
        type: 'string',
        requiresArg: true,
        describe: 'what the gate runs; gate.yaml here, or the one of Squall, when left out',
      })
      .option('quick', { type: 'boolean', default: false, describe: 'the quick part' })
      .option('full', { type: 'boolean', default: false, describe: 'all of it (when neither is given)' })
      .option('budget', {
        type: 'string',
        requiresArg: true,
        describe: 'time to plan for, such as 20m; what does not fit is left out and named',
      })
      .option('shard', {
        type: 'string',
        requiresArg: true,
        describe: 'one part of several jobs, such as 1/3',
      })
      .option('tag', {
        type: 'string',
        array: true,
        nargs: 1,
        describe: 'only entries with this tag; may be given again',
      })
      .option('baseline', {
        type: 'string',
        requiresArg: true,
        describe: 'what the relative bounds refer to: a file, a name under baselines/, a run, or newest',
      })
      .option('calibration', {
        type: 'string',
        requiresArg: true,
        describe: 'a run here of what the baseline was taken of, to rescale one of another machine',
      })
      .option('soak', {
        type: 'number',
        describe: 'run all of it so many times, and give the pass rate of each check',
      })
      .option('plan', {
        type: 'boolean',
        default: false,
        describe: 'say what would run and what not; start nothing',
      })
      .option('json', { type: 'boolean', default: false, describe: 'print the result as JSON' })
      .example('$0 gate --quick', 'what `make gate` runs')
      .example('$0 gate --full --budget 20m', 'all that fits into twenty minutes')
      .example('$0 gate --full --shard 2/4', 'the second of four jobs')
      .example('$0 gate --quick --soak 20', 'how often each check passes')
      .example('$0 gate --full --budget 20m --plan', 'what would run, and what would be left out');
    return addRunOptions(options);
  },
  handler: async (args) => {
    if (args.quick && args.full) {
      throw new SquallError('squall gate: --quick and --full are one or the other.', {
        code: 'quick-and-full',
        blame: 'input',
      });
    }
    const config = await readGateFile(args.config);
    const suites = await loadSuites([...config.quick, ...(config.full ?? [])].map((entry) => entry.suite));
    const budget = args.budget ?? config.budget;
    requireWhole('parallel-beds', args['parallel-beds'], { code: 'bad-beds' });
    requireWhole('soak', args.soak);
    if ((args.soak ?? 1) > 1 && args.resume) {
      throw new SquallError('squall gate: --soak begins anew each time; expected it without --resume.', {
        code: 'soak-and-resume',
        blame: 'input',
      });
    }
    const [session, { underConsole }] = await Promise.all([
      import('../../session/index.ts'),
      import('../run-console.ts'),
    ]);
    const host = session.hostClass(undefined);
    const word = args.baseline ?? config.baseline;
    const baseline = await baselineOf(word, config, host);
    const unjudged = word === NEWEST && !baseline ? config.relative : undefined;
    const today = new Date().toISOString().slice(0, 10);
    const request = {
      config,
      mode: args.quick ? ('quick' as const) : ('full' as const),
      suiteOf: session.bindBaseline((suite: string) => suites.get(suite) ?? [], {
        config,
        baseline,
        optional: unjudged !== undefined,
        calibration: args.calibration === undefined ? undefined : await findBaseline(args.calibration),
        host,
      }),
      mutants: session.knownMutants(readImages()),
      command: currentCall(),
      ...(unjudged && { unjudged }),
      ...runRequest(args),
      ...(budget !== undefined && { budgetMs: parseDurationMs(budget) }),
      ...(args.shard !== undefined && { shard: parseShard(args.shard) }),
      ...(args.tag && { tags: args.tag }),
    };
    if (args.plan) {
      // A waiver of nothing is a mistake that the plan shows already.
      const suiteOf = session.bindWaivers(request.suiteOf, config, today);
      const plan = await session.planGate({ ...request, suiteOf });
      session.checkPlan(plan.run);
      const lines = [
        ...plan.chosen.map(({ id }) => `run  ${id}`),
        ...session.planNotes(plan, request.budgetMs, unjudged),
      ];
      process.stdout.write(lines.map((line) => `${plainText(line)}\n`).join(''));
      return;
    }
    const github = githubJob();
    const listen = github.quiet();
    try {
      await underConsole(async (around) => {
        const commit = await session.currentCommit();
        const { result, text, markdown, reports, exitCode } = await session.executeGate({
          ...request,
          today,
          ...(args.soak !== undefined && { soak: args.soak }),
          ...(commit && { commit }),
          resume: args.resume,
          ...around,
        });
        listen();
        github.annotate(gateAnnotations(result));
        await github.summarise(markdown);
        const output = args.json
          ? `${JSON.stringify(result, undefined, 2)}\n`
          : `${text}${reports.map((path) => `${path}\n`).join('')}`;
        return { output, exitCode };
      });
    } finally {
      listen();
    }
  },
};

/** What the relative bounds are held against; undefined where nothing is named, or nothing is of this machine. */
async function baselineOf(
  word: string | undefined,
  { relative = [] }: GateConfig,
  host: HostClass,
): Promise<Baseline | undefined> {
  if (word === undefined) return undefined;
  return word === NEWEST ? await findNewestBaseline(host, relative) : await findBaseline(word);
}

/** Each suite once: entries of one suite share its scenarios. */
async function loadSuites(words: readonly string[]): Promise<Map<string, readonly ResolvedScenario[]>> {
  const { loadSuite, requireSuite } = await import('../../suite/index.ts');
  const byFolder = new Map<string, readonly ResolvedScenario[]>();
  const suites = new Map<string, readonly ResolvedScenario[]>();
  for (const word of new Set(words)) {
    const { codeFiles, dataFiles } = requireSuite(word);
    const key = [...codeFiles, ...dataFiles].join(' ');
    const scenarios = byFolder.get(key) ?? (await loadSuite(word)).scenarios;
    byFolder.set(key, scenarios);
    suites.set(word, scenarios);
  }
  return suites;
}
