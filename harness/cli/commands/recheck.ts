import { join } from 'node:path';
import type { CommandModule } from 'yargs';
import { EXIT, strongestExit } from '../../errors/index.ts';
import { findRunDir, type RunRecord, readRun } from '../../record/index.ts';
import { judgeAndReport, plainText } from '../../report/index.ts';

interface RecheckArguments {
  readonly run: string;
  readonly with: string | undefined;
  readonly json: boolean;
}

/** `squall recheck RUN [--with SUITE]`: the judging side alone; no engine is looked for, no container started. */
export const command: CommandModule<object, RecheckArguments> = {
  command: 'recheck [run]',
  describe: 'judge a finished run again from its record alone',
  builder: (cli) =>
    cli
      .positional('run', { type: 'string', default: 'reports/latest', describe: 'folder or id of the run' })
      .option('with', {
        type: 'string',
        requiresArg: true,
        describe: "a suite: its checks, bounds and measures of today instead of the run's own",
      })
      .option('json', { type: 'boolean', default: false, describe: 'print run.json instead of the table' })
      .example('$0 recheck reports/latest', 'the same verdict again, with no engine running')
      .example('$0 recheck reports/latest --with suites/memberlist', 'after a bound or a measure changed'),
  handler: async (args) => {
    const dir = await findRunDir(args.run);
    const before = (await readRun(dir)).run;
    const { run, problems, summary } = await judgeAndReport(
      dir,
      args.with === undefined
        ? { checks: 'recorded' }
        : { checks: 'today', scenarios: await scenariosOf(args.with) },
    );
    process.stdout.write(args.json ? `${JSON.stringify(run, undefined, 2)}\n` : summary);
    if (before) for (const line of changes(before, run)) process.stderr.write(`${plainText(line)}\n`);
    for (const problem of problems) process.stderr.write(`${plainText(problem)}\n`);
    if (!args.json) process.stdout.write(`report: ${join(dir, 'index.html')}\n`);
    process.exitCode = strongestExit([run.exitCode, problems.length > 0 ? EXIT.broken : EXIT.pass]);
  },
};

/** A suite's code is loaded only when asked for: it registers its measures and checks by that. One without a scenario is refused. */
async function scenariosOf(suite: string) {
  const { loadSuite } = await import('../../suite/index.ts');
  const { name, scenarios } = await loadSuite(suite);
  return scenarios.map((one) => ({
    suite: name,
    scenario: one.name,
    checks: one.checks,
    measures: one.measures,
    measure: one.measure,
    ...(one.expect ? { expectations: one.expect } : {}),
    ...(one.published ? { published: one.published } : {}),
    ...(one.aggregates ? { aggregates: one.aggregates } : {}),
    ...(one.comparisons ? { comparisons: one.comparisons } : {}),
    ...(one.plots ? { plots: one.plots } : {}),
  }));
}

/** What is said differently now. */
function changes(before: RunRecord, after: RunRecord): string[] {
  const key = (pointId: string, title: string): string => `${pointId}\u0000${title}`;
  const old = new Map(
    before.points.flatMap((point) =>
      point.checks.map((check) => [key(point.pointId, check.title), check.verdict]),
    ),
  );
  const changed = after.points.flatMap((point) =>
    point.checks.flatMap((check) => {
      const was = old.get(key(point.pointId, check.title));
      return was === check.verdict
        ? []
        : [`${check.title} [${point.pointId}]: was ${was ?? 'not judged'}, is ${check.verdict}`];
    }),
  );
  if (changed.length === 0) return [`the same verdict as before: ${after.verdict}`];
  const more = changed.length > 20 ? [`… and ${changed.length - 20} more`] : [];
  return [...changed.slice(0, 20), ...more, `verdict: was ${before.verdict}, is ${after.verdict}`];
}
