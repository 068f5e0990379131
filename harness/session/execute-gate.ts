import { join } from 'node:path';
import { BASELINES_DIR } from '../baseline/index.ts';
import { countOf } from '../check/index.ts';
import { describeError, EXIT, type ExitCode, strongestExit } from '../errors/index.ts';
import {
  type CheckLine,
  checkLines,
  exitOfUnstable,
  type GateConfig,
  type GateResult,
  leftOutSentences,
  mergeLines,
  renderGateMarkdown,
  renderGateText,
  stabilityOf,
  withStability,
} from '../gate/index.ts';
import { pruneRuns, type RunRecord, writeAtomically } from '../record/index.ts';
import { formatDurationMs, parseBytes, parseDurationMs } from '../units/index.ts';
import { bindWaivers, waiverNotes } from './bind-waivers.ts';
import type { Commit } from './current-commit.ts';
import { judgeMutation, stopWhenClear } from './execute-mutation.ts';
import { executeRun, type RunRequest } from './execute-run.ts';
import { selectionsOf } from './gate-units.ts';
import { type GatePlan, type GatePlanRequest, planGate } from './plan-gate.ts';
import { rememberRuns } from './remember-runs.ts';
import { trialJudge } from './trial-judge.ts';

export interface GateRequest
  extends GatePlanRequest,
    Omit<RunRequest, 'selections' | 'judge' | 'keepOnFailure' | 'reportsDir' | 'parallelBeds' | 'command'> {
  /** Day in UTC, `2026-11-30`, against which waivers run out. */
  readonly today: string;
  /** Runs all of it so many times, each on seeds of its own; 1 when absent. */
  readonly soak?: number;
  /** Of the repository around; absent where there is none. */
  readonly commit?: Commit;
  /** Bounds that are relative to a baseline where there is none for this machine: told of what the plan runs. */
  readonly unjudged?: NonNullable<GateConfig['relative']>;
}

export interface ExecutedGate {
  readonly result: GateResult;
  /** Of the last run. */
  readonly dir: string;
  /** For a console. */
  readonly text: string;
  readonly markdown: string;
  readonly reports: readonly string[];
  /** Without what a signal adds to it. */
  readonly exitCode: ExitCode;
}

/**
 * Plans a gate within its budget and runs it as one run, mutants with it (a soak: several times); writes `gate.json` and
 * `gate.md` beside the record. What a run leaves when it is cancelled is judged and written too. A check that passed and
 * failed on the same commit, in this call or one before, is unstable and does not pass.
 */
export async function executeGate(given: GateRequest): Promise<ExecutedGate> {
  const { observer, config, soak = 1, budgetMs } = given;
  const request = {
    ...given,
    suiteOf: bindWaivers(given.suiteOf, config, given.today),
    ...(budgetMs !== undefined && { budgetMs: budgetMs / soak }),
  };
  const plan = await planGate(request);
  for (const note of planNotes(plan, request.budgetMs, given.unjudged)) observer?.noted?.(note);
  const startedMs = performance.now();
  const runs: GateRun[] = [];
  do {
    const { seed } = plan.run.record;
    if (soak > 1) observer?.noted?.(`soak: run ${runs.length + 1} of ${soak}`);
    runs.push(await runOnce(request, plan, runs.length === 0 ? seed : `${seed}-${runs.length + 1}`));
  } while (runs.length < soak && !given.signal.aborted);
  const last = runs.at(-1) as GateRun;
  const stability = stabilityOf(await rememberRuns(given, runs));
  const lines = withStability(
    mergeLines(runs.map((one) => one.lines)),
    runs.map((one) => one.run),
    stability,
    soak > 1,
  );
  const exitCode = strongestExit([...runs.map((one) => one.exitCode), exitOfUnstable(lines)]);
  const result: GateResult = {
    name: config.name,
    mode: given.mode,
    ...(given.shard && { shard: `${given.shard.index}/${given.shard.total}` }),
    ...(given.tags && { tags: given.tags }),
    runId: last.run.runId,
    ...(soak > 1 && { soak: runs.map(({ run }) => run.runId) }),
    ...(given.commit && { commit: `${given.commit.hash}${given.commit.dirty ? ' and changes' : ''}` }),
    verdict: exitCode === EXIT.pass ? 'pass' : exitCode === EXIT.fail ? 'fail' : 'inconclusive',
    exitCode,
    lines,
    notes: [
      ...unjudgedNotes(plan, given.unjudged),
      ...waiverNotes(config, last.run, given.today),
      ...uncoveredNotes(plan),
    ],
    leftOut: plan.leftOut.map(({ unit, addsMs }) => ({ id: unit.id, addsMs })),
    ...(budgetMs !== undefined && { budgetMs }),
    plannedMs: plan.plannedMs * soak,
    tookMs: Math.round(performance.now() - startedMs),
    partial: runs.length < soak || runs.some(({ run }) => run.partial),
    repeat: (runs[0] as GateRun).run.repeat,
    report: join(last.dir, 'index.html'),
  };
  const markdown = renderGateMarkdown(result);
  await writeAtomically(join(last.dir, 'gate.json'), `${JSON.stringify(result, undefined, 2)}\n`);
  await writeAtomically(join(last.dir, 'gate.md'), markdown);
  await keepWithin(
    given,
    runs.map(({ run }) => run.runId),
  );
  const reports = runs.flatMap((one) => one.reports);
  return { result, dir: last.dir, text: renderGateText(result), markdown, reports, exitCode };
}

interface GateRun {
  readonly run: RunRecord;
  readonly dir: string;
  readonly lines: readonly CheckLine[];
  readonly reports: readonly string[];
  readonly exitCode: ExitCode;
}

async function runOnce(request: GateRequest, plan: GatePlan, seed: string): Promise<GateRun> {
  const claims = plan.chosen.flatMap(({ claim }) => claim ?? []);
  const executed = await executeRun({
    ...request,
    selections: selectionsOf(plan.chosen),
    seed,
    judge: stopWhenClear(trialJudge(plan.run.record), claims),
  });
  const mutation = claims.length > 0 ? await judgeMutation(executed, claims) : undefined;
  const run = mutation?.run ?? executed.run;
  const broken = executed.outcome.errors.length > 0 ? [executed.exitCode] : [];
  return {
    run,
    dir: executed.dir,
    lines: checkLines(run, mutation?.report),
    reports: mutation?.reports ?? executed.reports,
    exitCode: strongestExit([run.exitCode, ...(mutation ? [mutation.report.exitCode] : []), ...broken]),
  };
}

/** Old runs go once there is a new one. A folder that cannot be removed does not change a verdict. */
async function keepWithin(
  { config, reportsDir, observer }: GateRequest,
  keep: readonly string[],
): Promise<void> {
  const { runs, size, age } = config.retention ?? {};
  if (config.retention === undefined) return;
  try {
    const pruned = await pruneRuns(reportsDir, {
      nowMs: Date.now(),
      keep,
      ...(runs !== undefined && { runs }),
      ...(size !== undefined && { sizeBytes: parseBytes(size) }),
      ...(age !== undefined && { ageMs: parseDurationMs(age) }),
    });
    if (pruned.length > 0)
      observer?.noted?.(`removed ${countOf(pruned.length, 'old run')} from ${reportsDir}`);
  } catch (error) {
    observer?.noted?.(`old runs could not be removed: ${describeError(error)}`);
  }
}

/** A hole of the suite, which no run of it shows: named each time, and for `squall mutate` to fail by. */
export function uncoveredNotes({ uncovered }: Pick<GatePlan, 'uncovered'>): string[] {
  return uncovered.map(
    ({ image, mutant, rule }) =>
      `the mutant ${mutant} of ${image} is not covered: no scenario claims it (“${rule}”)`,
  );
}

/** What is planned, and what the budget leaves out, before anything starts. */
export function planNotes(
  { chosen, leftOut, plannedMs, run, basis, uncovered }: GatePlan,
  budgetMs?: number,
  unjudged?: GateRequest['unjudged'],
): string[] {
  const of = budgetMs === undefined ? '' : ` of ${formatDurationMs(budgetMs)}`;
  return [
    `gate: ${countOf(run.trials.length, 'trial')} in ${countOf(chosen.length, 'part')}, about ${formatDurationMs(plannedMs)}${of} (${basis})`,
    ...leftOutSentences(leftOut.map(({ unit, addsMs }) => ({ id: unit.id, addsMs }))),
    ...unjudgedNotes({ run }, unjudged),
    ...uncoveredNotes({ uncovered }),
  ];
}

/** A bound that is left out is told where its scenario runs: a gate that is silent would seem to have held it. */
function unjudgedNotes(
  { run }: Pick<GatePlan, 'run'>,
  unjudged: NonNullable<GateConfig['relative']> = [],
): string[] {
  const runs = unjudged.filter((bound) =>
    run.record.scenarios.some(
      (one) => one.scenario === bound.scenario && (bound.suite ?? one.suite) === one.suite,
    ),
  );
  return runs.map(
    ({ scenario, measure }) =>
      `the bound on ${measure} of ${scenario} is not judged: no baseline under ${BASELINES_DIR}/ is of this class of machine and has it; save one with \`squall baseline save RUN --name NAME\``,
  );
}
