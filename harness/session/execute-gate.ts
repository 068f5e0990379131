import { join } from 'node:path';
import { countOf } from '../check/index.ts';
import { type ExitCode, strongestExit } from '../errors/index.ts';
import { checkLines, type GateResult, renderGateMarkdown, renderGateText } from '../gate/index.ts';
import { writeAtomically } from '../record/index.ts';
import { formatDurationMs } from '../units/index.ts';
import { judgeMutation, stopWhenKilled } from './execute-mutation.ts';
import { executeRun, type RunRequest } from './execute-run.ts';
import { selectionsOf } from './gate-units.ts';
import { type GatePlan, type GatePlanRequest, planGate } from './plan-gate.ts';
import { trialJudge } from './trial-judge.ts';

export type GateRequest = GatePlanRequest & Omit<RunRequest, 'selections' | 'judge' | 'keepOnFailure'>;

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
export async function executeGate(request: GateRequest): Promise<ExecutedGate> {
  const { observer } = request;
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
  return { result, dir: executed.dir, text: renderGateText(result), markdown, reports, exitCode };
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
