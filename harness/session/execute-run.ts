import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { judgeRun } from '../check/index.ts';
import { type Engine, findEngine } from '../engine/index.ts';
import { describeError, EXIT, type ExitCode, strongestExit } from '../errors/index.ts';
import { createRun, type RunObserver, type RunRecord, type TrialRecord } from '../record/index.ts';
import {
  type BedFactory,
  type HostGuardFactory,
  type RunOutcome,
  type RunPlan,
  runPlan,
  systemClock,
  type TrialBed,
} from '../scenario/index.ts';
import { holdWatchdog, LABEL } from '../testnet/index.ts';
import { bedFactory } from './bed-factory.ts';
import { startHostWatch } from './host-watch.ts';
import { makePlan, type PlanRequest } from './make-plan.ts';
import { learnCosts, measuredCosts } from './measured-costs.ts';
import { defaultBeds } from './plan-costs.ts';
import { renderReports } from './render-reports.ts';
import { findUnfinishedRun } from './resume.ts';
import { trialJudge } from './trial-judge.ts';

export interface RunRequest extends PlanRequest {
  readonly reportsDir: string;
  /** From the host's room when absent. */
  readonly parallelBeds?: number;
  /** Go on with the newest run of the same plan that did not reach its end. */
  readonly resume?: boolean;
  /** Takes over the bed of the first failed trial. */
  readonly keep?: (bed: TrialBed, trial: TrialRecord) => Promise<void>;
  readonly observer?: RunObserver;
  readonly yes?: boolean;
  readonly signal: AbortSignal;
  /** For tests: in place of an engine's beds and host guard. */
  readonly stage?: { readonly beds: BedFactory; readonly guard: HostGuardFactory };
}

export interface ExecutedRun {
  readonly run: RunRecord;
  readonly dir: string;
  readonly outcome: RunOutcome;
  /** Without what a signal adds to it. */
  readonly exitCode: ExitCode;
}

/**
 * A run from end to end: plan, beds and trials, then the judgement and the reports, also of what an interrupt left.
 * @throws SquallError when nothing could be begun: wrong input (exit 3), no engine (exit 4)
 */
export async function executeRun(request: RunRequest): Promise<ExecutedRun> {
  const { observer, signal } = request;
  // Wrong input is refused before an engine is looked for.
  const draft = makePlan(request);
  if (request.stage) return await runOn(draft, request, request.stage);
  const engine = await findEngine({
    ...(request.yes !== undefined && { yes: request.yes }),
    onProgress: (text) => observer?.stepped?.(undefined, text),
    signal,
  });
  try {
    const plan = makePlan({
      ...request,
      seed: draft.record.seed,
      runId: draft.record.runId,
      engine: engine.info,
    });
    return await withEngine(engine, plan, request);
  } finally {
    engine.close();
  }
}

async function withEngine(engine: Engine, plan: RunPlan, request: RunRequest): Promise<ExecutedRun> {
  const { runId } = plan.record;
  const { observer, signal } = request;
  const hold = await holdWatchdog(engine, { runId });
  try {
    const guard = await startHostWatch(engine, runId, (text) => observer?.noted?.(text), signal);
    try {
      return await runOn(plan, request, { beds: bedFactory(engine, runId), guard });
    } finally {
      await guard.stop();
    }
  } finally {
    const left = await engine.listContainers([`${LABEL.run}=${runId}`]);
    await hold.release({ allRemoved: left.length === 0 });
  }
}

async function runOn(
  fresh: RunPlan,
  request: RunRequest,
  stage: { readonly beds: BedFactory; readonly guard: HostGuardFactory },
): Promise<ExecutedRun> {
  const { observer, signal, reportsDir } = request;
  await mkdir(reportsDir, { recursive: true });
  const unfinished = request.resume
    ? await findUnfinishedRun(reportsDir, fresh.record, request.seed)
    : undefined;
  if (request.resume && !unfinished)
    observer?.noted?.('no earlier run of this plan was found; starting anew');
  const plan = unfinished
    ? makePlan({ ...request, seed: unfinished.plan.seed, runId: unfinished.plan.runId })
    : fresh;
  const dir = unfinished?.dir ?? join(reportsDir, plan.record.runId);
  const { costs } = await measuredCosts(reportsDir);
  const writer = await createRun(dir, plan.record, { resume: unfinished !== undefined });
  let outcome: RunOutcome;
  let endError: unknown;
  try {
    outcome = await runPlan({
      plan,
      writer,
      beds: stage.beds,
      guard: stage.guard,
      judge: trialJudge(plan.record),
      clock: systemClock,
      parallelBeds: request.parallelBeds ?? defaultBeds(plan, costs.memoryBytesPerNode).beds,
      ...(unfinished && { earlier: unfinished.trials }),
      ...(observer && { observer }),
      ...(request.keep && { keep: request.keep }),
      signal,
    });
  } finally {
    await writer.finish().catch((error: unknown) => {
      endError = error;
    });
  }
  if (endError !== undefined) observer?.noted?.(describeError(endError));
  await learnCosts(reportsDir, outcome.trials);
  const run = await judgeRun(dir, { checks: 'recorded' });
  await renderReports(dir, run);
  observer?.judged?.(run, dir);
  const exitCode = strongestExit([run.exitCode, outcome.errors.length > 0 ? EXIT.broken : EXIT.pass]);
  return { run, dir, outcome, exitCode };
}
