import { join } from 'node:path';
import { countOf } from '../check/index.ts';
import { describeError, type ExitCode, strongestExit } from '../errors/index.ts';
import { checkLines, type GateResult, renderGateMarkdown, renderGateText } from '../gate/index.ts';
import { pruneRuns, writeAtomically } from '../record/index.ts';
import { formatDurationMs, parseBytes, parseDurationMs } from '../units/index.ts';
import { bindWaivers, waiverNotes } from './bind-waivers.ts';
import { judgeMutation, stopWhenKilled } from './execute-mutation.ts';
import { executeRun, type RunRequest } from './execute-run.ts';
import { selectionsOf } from './gate-units.ts';
import { type GatePlan, type GatePlanRequest, planGate } from './plan-gate.ts';
import { trialJudge } from './trial-judge.ts';

export interface GateRequest
  extends GatePlanRequest,
    Omit<RunRequest, 'selections' | 'judge' | 'keepOnFailure' | 'reportsDir' | 'parallelBeds' | 'command'> {
  /** Day in UTC, `2026-11-30`, against which waivers run out. */
  readonly today: string;
}

export interface ExecutedGate {
  readonly result: GateResult;
  readonly dir: string;
  /** For a console. */
  readonly text: string;
  readonly markdown: string;
  readonly reports: readonly string[];
  /** Without what a signal adds to it. */
  readonly exitCode: ExitCode;
}

/**
 * Plans a gate within its budget and runs it as one run, mutants with it; writes `gate.json` and `gate.md` beside the
 * run's record. What a run leaves when it is cancelled is judged and written too.
 */
export async function executeGate(given: GateRequest): Promise<ExecutedGate> {
  const { observer } = given;
  const request = { ...given, suiteOf: bindWaivers(given.suiteOf, given.config, given.today) };
  const plan = await planGate(request);
  for (const note of planNotes(plan, request.budgetMs)) observer?.noted?.(note);
  const claims = plan.chosen.flatMap(({ claim }) => claim ?? []);
  const startedMs = performance.now();
  const executed = await executeRun({
    ...request,
    selections: selectionsOf(plan.chosen),
    seed: plan.run.record.seed,
    judge: stopWhenKilled(trialJudge(plan.run.record), claims),
  });
  const mutation = claims.length > 0 ? await judgeMutation(executed, claims) : undefined;
  const run = mutation?.run ?? executed.run;
  const broken = executed.outcome.errors.length > 0 ? [executed.exitCode] : [];
  const exitCode = strongestExit([run.exitCode, ...(mutation ? [mutation.report.exitCode] : []), ...broken]);
  const reports = mutation?.reports ?? executed.reports;
  const result: GateResult = {
    name: request.config.name,
    mode: request.mode,
    ...(request.shard && { shard: `${request.shard.index}/${request.shard.total}` }),
    ...(request.tags && { tags: request.tags }),
    runId: run.runId,
    verdict: exitCode === 0 ? 'pass' : exitCode === 1 ? 'fail' : 'inconclusive',
    exitCode,
    lines: checkLines(run, mutation?.report),
    notes: waiverNotes(request.config, run, request.today),
    leftOut: plan.leftOut.map(({ unit, addsMs }) => ({ id: unit.id, addsMs })),
    ...(request.budgetMs !== undefined && { budgetMs: request.budgetMs }),
    plannedMs: plan.plannedMs,
    tookMs: Math.round(performance.now() - startedMs),
    partial: run.partial,
    repeat: run.repeat,
    report: join(executed.dir, 'index.html'),
  };
  const markdown = renderGateMarkdown(result);
  await writeAtomically(join(executed.dir, 'gate.json'), `${JSON.stringify(result, undefined, 2)}\n`);
  await writeAtomically(join(executed.dir, 'gate.md'), markdown);
  await keepWithin(request, run.runId);
  return { result, dir: executed.dir, text: renderGateText(result), markdown, reports, exitCode };
}

/** Old runs go once there is a new one. A folder that cannot be removed does not change a verdict. */
async function keepWithin({ config, reportsDir, observer }: GateRequest, runId: string): Promise<void> {
  const { runs, size, age } = config.retention ?? {};
  if (config.retention === undefined) return;
  try {
    const pruned = await pruneRuns(reportsDir, {
      nowMs: Date.now(),
      keep: [runId],
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

/** What is planned, and what the budget leaves out, before anything starts. */
export function planNotes({ chosen, leftOut, plannedMs, run, basis }: GatePlan, budgetMs?: number): string[] {
  const of = budgetMs === undefined ? '' : ` of ${formatDurationMs(budgetMs)}`;
  return [
    `gate: ${countOf(run.trials.length, 'trial')} in ${countOf(chosen.length, 'part')}, about ${formatDurationMs(plannedMs)}${of} (${basis})`,
    ...leftOut.map(
      ({ unit, addsMs }) =>
        `left out, the budget has no room for it (about ${formatDurationMs(addsMs)}): ${unit.id}`,
    ),
  ];
}
