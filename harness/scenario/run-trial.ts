import { describeError, SquallError } from '../errors/index.ts';
import {
  type FaultRecord,
  type HostRecord,
  measureTrial,
  type PhaseRecord,
  RECORD_VERSION,
  type RecordedEvent,
  type TrialOutcome,
  type TrialRecord,
  type TrialWriter,
} from '../record/index.ts';
import { formatDurationMs, parseDurationMs } from '../units/index.ts';
import type { PlannedTrial } from './plan-run.ts';
import type { HostGuard, HostGuardFactory, TrialBed, TrialClock } from './ports.ts';
import type { QuietWindows } from './quiet-windows.ts';
import { CRASH_EVENT, MISSED_EVENT } from './standing-checks.ts';
import { stepFaults, stepVerb } from './step-problems.ts';
import { describeLast, MissedCondition, StepRunner } from './step-runner.ts';
import { fillTemplate } from './template.ts';
import { trialBudgetMs } from './trial-budget.ts';
import type { ScenarioSpec } from './types.ts';

const NS = 1e6;
/** Every node and its container is asked. */
const VERIFY_MS_PER_NODE = 8;
/** For the host guard, when the scenario does not say what its system's shortest timeout is. */
const DEFAULT_SHORTEST_TIMEOUT_MS = 500;

export interface TrialOptions {
  readonly runId: string;
  readonly warp: number;
  readonly planned: PlannedTrial;
  readonly trial: number;
  readonly bed: TrialBed;
  readonly bedUse: { readonly reused: boolean; readonly trialOnBed: number; readonly overheadMs: number };
  /** The trial's first event in the bed's log: before the reset that made the bed fresh. */
  readonly mark: number;
  readonly writer: TrialWriter;
  readonly clock: TrialClock;
  readonly quiet: QuietWindows;
  /** Overruns of other beds into this one's windows, seen by the run. */
  readonly disturbances: () => readonly string[];
  readonly guard: HostGuardFactory;
  readonly onStep: (text: string) => void;
  /** The first phase is over, or a fault is next: the bed disturbs nobody any more. */
  readonly onSettled: () => void;
  readonly signal: AbortSignal;
}

export interface TrialResult {
  readonly record: TrialRecord;
  /** The bed may be used again. */
  readonly bedClean: boolean;
}

/** How a trial's phases ended. */
interface Ending {
  readonly outcome: TrialOutcome;
  readonly reasons: readonly string[];
}

/**
 * Runs one trial on a bed that is ready, and writes its record, whatever happens: a trial that broke, was spoiled or
 * was interrupted has a record that says so. Never throws for what the trial did; only when the record cannot be written.
 */
export async function runTrial(options: TrialOptions): Promise<TrialResult> {
  const { bed, planned, writer, clock } = options;
  const { scenario } = planned.point;
  const startNs = clock.nowNs();
  const startedAt = new Date().toISOString();
  let closedNs: number | undefined;
  const record = (event: RecordedEvent): void => {
    // What a node says after the watch ended is no part of the trial; what the harness does then is.
    if (closedNs !== undefined && event.atNs > closedNs && event.node !== 'harness') return;
    writer.event(event);
  };
  for (const event of bed.events.since(options.mark)) record(event);
  const unsubscribe = bed.events.subscribe(record);
  const lostBefore = lostLines(bed);
  const guard = await startGuard(options);

  const run = new TrialRun(options, startNs);
  const ending = await run.phases();
  closedNs = run.endNs;
  const failures: string[] = [];
  const faults = await endFaults(bed, failures);
  for (const node of bed.nodeRecords()) {
    if (node.exit && !node.exit.expected) bed.events.emit(CRASH_EVENT, { node: node.name, ...node.exit });
  }
  const clean = options.signal.aborted ? undefined : await verify(options, failures);
  const host = await stopGuard(guard, options.disturbances());
  await writer.drained();
  unsubscribe();

  const events = bed.events
    .since(options.mark)
    .filter((event) => event.atNs <= run.endNs || event.node === 'harness');
  const voids = [
    ...faults.voids,
    ...(host.verdict === 'spoiled' ? host.reasons : []),
    ...silentAdapters(bed),
  ];
  const { outcome, reasons } = options.signal.aborted
    ? { outcome: 'aborted' as const, reasons: [describeError(options.signal.reason)] }
    : finalEnding(ending, failures, voids);
  const unmeasured: Omit<TrialRecord, 'measures'> = {
    recordVersion: RECORD_VERSION,
    runId: options.runId,
    suite: scenario.suite,
    scenario: scenario.name,
    point: planned.point.point,
    pointId: planned.point.pointId,
    trial: options.trial,
    seed: planned.seed,
    warp: options.warp,
    bed: { id: bed.id, reused: options.bedUse.reused, trialOnBed: options.bedUse.trialOnBed },
    startedAt,
    startNs,
    endNs: run.endNs,
    overheadMs: options.bedUse.overheadMs,
    outcome,
    reasons,
    nodes: bed.nodeRecords(),
    phases: run.phaseRecords,
    faults: faults.records,
    steps: run.stepRecords,
    host,
    cleanAfter: clean?.accounted ?? false,
    checks: scenario.checks,
    expectations: scenario.expect ?? [],
    events: { ...writer.events, lost: writer.events.lost + Math.max(0, lostLines(bed) - lostBefore) },
  };
  const measured = measure(unmeasured, scenario.measure, events);
  const finished = await writer.finish(measured);
  return {
    record: finished,
    bedClean: clean?.clean === true && outcome !== 'error' && outcome !== 'aborted',
  };
}

/** A trial whose bed could not be made ready: a record all the same. */
export async function recordBrokenTrial(
  options: Pick<TrialOptions, 'runId' | 'warp' | 'planned' | 'trial' | 'writer' | 'clock'> & {
    readonly bedId: string;
    readonly startNs: number;
    readonly error: unknown;
    readonly aborted: boolean;
  },
): Promise<TrialRecord> {
  const { planned, writer, clock, startNs } = options;
  const { scenario } = planned.point;
  const endNs = clock.nowNs();
  return await writer.finish({
    recordVersion: RECORD_VERSION,
    runId: options.runId,
    suite: scenario.suite,
    scenario: scenario.name,
    point: planned.point.point,
    pointId: planned.point.pointId,
    trial: options.trial,
    seed: planned.seed,
    warp: options.warp,
    bed: { id: options.bedId, reused: false, trialOnBed: 0 },
    startedAt: new Date().toISOString(),
    startNs,
    endNs,
    overheadMs: (endNs - startNs) / NS,
    outcome: options.aborted ? 'aborted' : 'error',
    reasons: [`the bed was not ready: ${describeError(options.error)}`],
    nodes: [],
    phases: [],
    faults: [],
    steps: [],
    host: { verdict: 'unknown', measures: [], reasons: [] },
    cleanAfter: false,
    measures: {},
    checks: scenario.checks,
    expectations: scenario.expect ?? [],
    events: writer.events,
  });
}

/** The phases of one trial, with what was executed when. */
class TrialRun {
  readonly #options: TrialOptions;
  readonly #startNs: number;
  readonly phaseRecords: PhaseRecord[] = [];
  readonly stepRecords: { name: string; startNs: number; endNs: number; detail?: string }[] = [];
  endNs: number;
  #current = 'the start';

  constructor(options: TrialOptions, startNs: number) {
    this.#options = options;
    this.#startNs = startNs;
    this.endNs = startNs;
  }

  async phases(): Promise<Ending> {
    const { bed, planned, clock, signal } = this.#options;
    const stop = new AbortController();
    const trialSignal = AbortSignal.any([signal, stop.signal]);
    const unsubscribe = bed.events.subscribe((event) => {
      if (event.event !== 'agent.lost') return;
      stop.abort(
        new SquallError(`agent of bed ${bed.id}: lost in the middle of a trial`, {
          code: 'agent-lost',
          blame: 'void',
        }),
      );
    });
    const runner = new StepRunner({
      bed,
      clock,
      quiet: this.#options.quiet,
      planned: planned.point,
      seed: planned.seed,
      warp: this.#options.warp,
      signal: trialSignal,
      trialMark: this.#options.mark,
      startNs: this.#startNs,
    });
    const watch = this.#watchBudget(runner, stop);
    try {
      await this.#execute(runner);
      return { outcome: 'completed', reasons: [] };
    } catch (error) {
      this.endNs = Math.max(runner.cursorNs, clock.nowNs());
      return this.#endingOf(error);
    } finally {
      clearInterval(watch);
      unsubscribe();
      runner.close();
      this.#options.onSettled();
    }
  }

  async #execute(runner: StepRunner): Promise<void> {
    const { planned, clock, signal, onStep, bed } = this.#options;
    const { scenario, point } = planned.point;
    // Filled in once, so that a step is the same object wherever it is met.
    const phases = scenario.phases.map((phase) => ({
      name: phase.name,
      steps: phase.steps.map((step) => fillTemplate(step, scenario.parameters, point)),
    }));
    const all = phases.flatMap((phase) => phase.steps);
    let done = 0;
    for (const [index, phase] of phases.entries()) {
      const phaseStartNs = runner.cursorNs;
      runner.beginPhase(index === 0);
      bed.events.emit('phase.began', { phase: phase.name });
      try {
        for (const step of phase.steps) {
          if (index > 0 || stepFaults(step).length > 0) this.#options.onSettled();
          done += 1;
          const name = step.name ?? stepVerb(step);
          this.#current = `step "${name}" of phase ${phase.name}`;
          onStep(`${phase.name}: ${name}`);
          const startNs = runner.cursorNs;
          let detail: string | undefined;
          try {
            detail = await runner.run(step, all.slice(done));
          } catch (error) {
            detail = `not finished: it waited for ${runner.awaiting}`;
            throw error;
          } finally {
            const endNs = runner.cursorNs;
            this.stepRecords.push({ name, startNs, endNs, ...(detail !== undefined && { detail }) });
          }
        }
      } finally {
        this.phaseRecords.push({ name: phase.name, startNs: phaseStartNs, endNs: runner.cursorNs });
      }
    }
    // A wait before a fault ends early for arming; a trial never does.
    await clock.sleepUntilNs(runner.cursorNs, signal);
    this.endNs = runner.cursorNs;
  }

  /** Ends a trial that takes too long; waiting for other beds is not held against it. */
  #watchBudget(runner: StepRunner, stop: AbortController): NodeJS.Timeout {
    const { planned, warp, clock, bed } = this.#options;
    const budgetMs = trialBudgetMs(planned.point.scenario, planned.point.point, warp);
    return setInterval(() => {
      const nowNs = clock.nowNs();
      const tookMs = (nowNs - this.#startNs) / NS - runner.waitedForQuietMs;
      if (tookMs <= budgetMs || stop.signal.aborted) return;
      if (runner.awaiting.startsWith('a quiet moment')) return;
      stop.abort(
        new SquallError(
          `trial: not done within its budget of ${formatDurationMs(budgetMs)}; it hangs in ${this.#current}, waiting for ` +
            `${runner.awaiting}; last seen: ${describeLast(lastOfNodes(bed, this.#options.mark), nowNs)}.`,
          { code: 'trial-hung', facts: { step: this.#current, awaiting: runner.awaiting, budgetMs } },
        ),
      );
    }, 250);
  }

  #endingOf(error: unknown): Ending {
    const { signal, bed } = this.#options;
    if (signal.aborted) return { outcome: 'aborted', reasons: [describeError(signal.reason)] };
    const reason = `${this.#current}: ${describeError(error)}`;
    if (error instanceof MissedCondition) {
      bed.events.emit(MISSED_EVENT, { step: this.#current, reason: error.message });
      // That the system did not get there is for the checks to judge, not an accident of ours.
      return { outcome: error.orElse === 'void' ? 'void' : 'completed', reasons: [reason] };
    }
    if (error instanceof SquallError && (error.blame === 'void' || error.code === 'agent-lost')) {
      return { outcome: 'void', reasons: [reason] };
    }
    return { outcome: 'error', reasons: [reason] };
  }
}

/** What the nodes said last; the harness's own events are no sign of life. */
function lastOfNodes(bed: TrialBed, mark: number): RecordedEvent | undefined {
  return bed.events.since(mark).findLast((event) => event.node !== 'harness');
}

/** Of the system under test, in real time: the host guard is held against it. */
export function shortestTimeoutMs(scenario: ScenarioSpec, warp: number): number {
  const statedMs =
    scenario.shortestTimeout === undefined
      ? DEFAULT_SHORTEST_TIMEOUT_MS
      : parseDurationMs(scenario.shortestTimeout);
  return statedMs / warp;
}

async function startGuard(options: TrialOptions): Promise<HostGuard | string> {
  const { scenario } = options.planned.point;
  try {
    return await options.guard.start({
      bed: options.bed,
      shortestTimeoutMs: shortestTimeoutMs(scenario, options.warp),
      signal: options.signal,
    });
  } catch (error) {
    return describeError(error);
  }
}

async function stopGuard(guard: HostGuard | string, disturbances: readonly string[]): Promise<HostRecord> {
  const host = await readGuard(guard);
  const overruns = {
    name: 'work of other beds in a critical window',
    value: disturbances.length,
    unit: '',
    threshold: 0,
    exceeded: disturbances.length > 0,
  };
  return {
    verdict: overruns.exceeded ? 'spoiled' : host.verdict,
    measures: [...host.measures, overruns],
    reasons: [...host.reasons, ...disturbances],
  };
}

async function readGuard(guard: HostGuard | string): Promise<HostRecord> {
  if (typeof guard === 'string') return { verdict: 'unknown', measures: [], reasons: [guard] };
  try {
    return await guard.stop();
  } catch (error) {
    return { verdict: 'unknown', measures: [], reasons: [`the host guard broke: ${describeError(error)}`] };
  }
}

async function endFaults(
  bed: TrialBed,
  failures: string[],
): Promise<{ readonly records: readonly FaultRecord[]; readonly voids: readonly string[] }> {
  try {
    await bed.faults.liftAll();
  } catch (error) {
    failures.push(describeError(error));
  }
  try {
    return await bed.faults.takeRecords();
  } catch (error) {
    failures.push(`the faults' records could not be read: ${describeError(error)}`);
    return { records: [], voids: [] };
  }
}

/** Clean: fit for another trial. Accounted: what is not back, a fault of ours ended on purpose. */
async function verify(
  { bed, quiet, signal }: TrialOptions,
  failures: string[],
): Promise<{ readonly clean: boolean; readonly accounted: boolean }> {
  try {
    const { clean, problems } = await quiet.heavy(
      bed.id,
      bed.nodes().length * VERIFY_MS_PER_NODE,
      signal,
      () => bed.verifyClean(signal),
    );
    const ended = bed.nodeRecords().flatMap((node) => (node.exit?.expected ? [`node ${node.name} `] : []));
    const open = problems.filter((problem) => !ended.some((start) => problem.startsWith(start)));
    for (const problem of problems) bed.events.emit('bed.dirty', { problem });
    return { clean, accounted: open.length === 0 };
  } catch (error) {
    failures.push(`the bed could not be verified: ${describeError(error)}`);
    return { clean: false, accounted: false };
  }
}

function finalEnding(ending: Ending, failures: readonly string[], voids: readonly string[]): Ending {
  if (ending.outcome === 'aborted' || ending.outcome === 'error') {
    return { outcome: ending.outcome, reasons: [...ending.reasons, ...failures, ...voids] };
  }
  // What was spoiled proves nothing, whatever else went wrong because of it (a lost agent lifts no fault).
  if (ending.outcome === 'void' || voids.length > 0) {
    return { outcome: 'void', reasons: [...new Set([...ending.reasons, ...voids, ...failures])] };
  }
  if (failures.length > 0) return { outcome: 'error', reasons: [...failures, ...ending.reasons] };
  return ending;
}

/** An adapter that understood no line of its node says nothing about the trial, so the trial says nothing either. */
function silentAdapters(bed: TrialBed): string[] {
  return bed
    .adapterReports()
    .filter((report) => report.matched === 0)
    .map((report) => `node ${report.node}: its adapter for "${report.event}" matched nothing`);
}

function lostLines(bed: TrialBed): number {
  return bed.nodes().reduce((sum, node) => sum + bed.logCounts(node.name).lostLines, 0);
}

/** A measure that throws is a fault of the suite: the trial is kept and says so. */
function measure(
  trial: Omit<TrialRecord, 'measures'>,
  names: readonly string[],
  events: readonly RecordedEvent[],
): TrialRecord {
  if (trial.outcome === 'aborted') return { ...trial, measures: {} };
  try {
    return { ...trial, measures: measureTrial(names, trial, events) };
  } catch (error) {
    return {
      ...trial,
      outcome: trial.outcome === 'completed' ? 'error' : trial.outcome,
      reasons: [...trial.reasons, describeError(error)],
      measures: {},
    };
  }
}
