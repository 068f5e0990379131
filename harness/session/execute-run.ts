import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { judgeRun } from '../check/index.ts';
import { type Engine, type EngineInfo, findEngine } from '../engine/index.ts';
import { describeError, EXIT, type ExitCode, strongestExit } from '../errors/index.ts';
import { requireNetworkFaults } from '../host/index.ts';
import { createRun, type RunObserver, type RunRecord, type TrialRecord } from '../record/index.ts';
import { judgeAndReport } from '../report/index.ts';
import {
  type BedFactory,
  type CaptureRequest,
  type HostGuardFactory,
  type RunOutcome,
  type RunPlan,
  runPlan,
  systemClock,
  type TrialBed,
  type TrialClock,
  type TrialJudge,
} from '../scenario/index.ts';
import {
  currentOwner,
  formatOwner,
  holdWatchdog,
  keepBed,
  LABEL,
  livingBeds,
  nowNs,
} from '../testnet/index.ts';
import { formatBytes } from '../units/index.ts';
import { bedFactory } from './bed-factory.ts';
import { checkPlan } from './check-plan.ts';
import { ensureImages } from './ensure-images.ts';
import { gateNotes } from './gate-notes.ts';
import { startHostWatch } from './host-watch.ts';
import { makePlan, type PlanRequest } from './make-plan.ts';
import { learnCosts, measuredCosts } from './measured-costs.ts';
import { captureBytes, defaultBeds, requireSubnets } from './plan-costs.ts';
import { findUnfinishedRun } from './resume.ts';
import { writeInputs } from './run-inputs.ts';
import { trialJudge } from './trial-judge.ts';

export interface RunRequest extends PlanRequest {
  readonly reportsDir: string;
  /** From the host's room when absent. */
  readonly parallelBeds?: number;
  /** Go on with the newest run of the same plan that did not reach its end. */
  readonly resume?: boolean;
  /** Leave the bed of the first failed trial to a keeper, and end there. */
  readonly keepOnFailure?: boolean;
  /** Captures packets of every trial. */
  readonly capture?: CaptureRequest;
  readonly observer?: RunObserver;
  readonly yes?: boolean;
  /** Asks whether an engine may be installed; absent when nobody is there to answer. */
  readonly ask?: (question: string) => Promise<boolean>;
  readonly signal: AbortSignal;
  /** In place of the judge that follows the scenarios' checks. */
  readonly judge?: TrialJudge;
  /** Only the record and run.json are written; `squall report` draws the rest. For calls that make many small runs. */
  readonly withoutReports?: boolean;
  /** Told once of the engine that was found. */
  readonly onEngine?: (engine: EngineInfo) => void;
  /** In place of an engine's: for runs without containers. */
  readonly stage?: RunStage;
}

/** What a run is played on. */
export interface RunStage {
  readonly beds: BedFactory;
  readonly guard: HostGuardFactory;
  readonly clock?: TrialClock;
  readonly keep?: (bed: TrialBed, trial: TrialRecord) => Promise<void>;
}

export interface ExecutedRun {
  readonly run: RunRecord;
  readonly dir: string;
  readonly outcome: RunOutcome;
  /** The run as text for a console. */
  readonly summary: string;
  readonly reports: readonly string[];
  /** Without what a signal adds to it. */
  readonly exitCode: ExitCode;
}

/**
 * A run from end to end: plan, beds and trials, then the judgement and the reports, also of what an interrupt left.
 * @throws SquallError when nothing could be begun: wrong input or an engine that cannot do it (exit 3), no engine (exit 4)
 */
export async function executeRun(request: RunRequest): Promise<ExecutedRun> {
  const { observer, signal } = request;
  // Wrong input is refused before an engine is looked for.
  const draft = makePlan(request);
  checkPlan(draft);
  if (request.parallelBeds !== undefined) requireSubnets(draft, request.parallelBeds);
  if (request.stage) return await runOn(draft, request, request.stage);
  const engine = await findEngine({
    ...(request.yes !== undefined && { yes: request.yes }),
    ...(request.ask && { ask: request.ask }),
    onProgress: (text) => observer?.stepped?.(undefined, text),
    signal,
  });
  try {
    requireNetworkFaults(engine.info);
    request.onEngine?.(engine.info);
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
  await ensureImages(engine, plan, (text) => observer?.stepped?.(undefined, text), signal);
  const hold = await holdWatchdog(engine, { runId });
  try {
    const guard = await startHostWatch(engine, runId, (text) => observer?.noted?.(text), signal);
    const beds = bedFactory(engine, runId);
    const keep = async (trialBed: TrialBed): Promise<void> => {
      const bed = beds.bedOf(trialBed);
      if (!bed) return;
      await keepBed(bed);
      observer?.noted?.(
        `bed ${bed.id} is kept: enter it with \`squall attach ${runId}\`, end it with \`squall down --bed ${bed.id}\``,
      );
    };
    try {
      return await runOn(plan, request, { beds, guard, ...(request.keepOnFailure && { keep }) });
    } finally {
      await guard.stop();
    }
  } finally {
    await hold.release({ allRemoved: await nothingLeft(engine, runId) });
  }
}

/** Of this run and this process: a bed that was kept has another owner by now. */
async function nothingLeft(engine: Engine, runId: string): Promise<boolean> {
  const left = await engine.listContainers([`${LABEL.run}=${runId}`]);
  const kept = new Set(livingBeds().map(({ card }) => card.bedId));
  return left.every(({ labels }) => kept.has(labels[LABEL.bed] ?? ''));
}

async function runOn(fresh: RunPlan, request: RunRequest, stage: RunStage): Promise<ExecutedRun> {
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
  for (const note of gateNotes(plan)) observer?.noted?.(note);
  if (request.capture) {
    const most = formatBytes(captureBytes(plan, request.capture));
    observer?.noted?.(`packet captures may take up to ${most}, under each trial's pcap/`);
  }
  const dir = unfinished?.dir ?? join(reportsDir, plan.record.runId);
  const { costs } = await measuredCosts(reportsDir);
  const writer = await createRun(dir, plan.record, { resume: unfinished !== undefined });
  await writeInputs(dir, plan, request.cwd);
  const tell = (event: string, fields: Readonly<Record<string, unknown>>): void =>
    void writer.event({ node: 'harness', event, atNs: nowNs(), fields });
  // Who watches from the record sees by this whether anybody is still at work on it.
  tell('run.began', { owner: formatOwner(currentOwner()), resumed: unfinished !== undefined });
  let outcome: RunOutcome;
  let endError: unknown;
  try {
    outcome = await runPlan({
      plan,
      writer,
      beds: stage.beds,
      guard: stage.guard,
      judge: request.judge ?? trialJudge(plan.record),
      clock: stage.clock ?? systemClock,
      ...bedsOf(plan, request, costs.memoryBytesPerNode),
      costs,
      ...(unfinished && { earlier: unfinished.trials }),
      ...(observer && { observer }),
      ...(request.capture && { capture: request.capture }),
      ...(stage.keep && { keep: stage.keep }),
      signal,
    });
  } finally {
    tell('run.ended', { aborted: signal.aborted });
    await writer.finish().catch((error: unknown) => {
      endError = error;
    });
  }
  if (endError !== undefined) observer?.noted?.(describeError(endError));
  await learnCosts(reportsDir, outcome.trials);
  const { run, paths, problems, summary } = request.withoutReports
    ? { run: await judgeRun(dir, { checks: 'recorded' }), paths: [], problems: [], summary: '' }
    : await judgeAndReport(dir, { checks: 'recorded' });
  for (const problem of problems) observer?.noted?.(problem);
  observer?.judged?.(run, dir);
  const broken = outcome.errors.length > 0 || problems.length > 0;
  const exitCode = strongestExit([run.exitCode, broken ? EXIT.broken : EXIT.pass]);
  return { run, dir, outcome, summary, reports: paths, exitCode };
}

/** As many as were asked for, else what the host has room for. */
function bedsOf(
  plan: RunPlan,
  { parallelBeds }: RunRequest,
  memoryBytesPerNode: number,
): { readonly parallelBeds: number; readonly lightBeds?: number } {
  if (parallelBeds !== undefined) return { parallelBeds };
  const { beds, lightBeds } = defaultBeds(plan, memoryBytesPerNode);
  return { parallelBeds: beds, lightBeds };
}
