import { describeError } from '../errors/index.ts';
import {
  eventsUntilEnd,
  type HostRecord,
  measureTrial,
  RECORD_VERSION,
  type RecordedEvent,
  type TrialRecord,
} from '../record/index.ts';
import type { TrialBed } from './ports.ts';
import { CRASH_EVENT } from './standing-checks.ts';
import { TrialCapture } from './trial-capture.ts';
import { endFaults, verifyBed } from './trial-end.ts';
import { shortestTimeoutMs, startGuard, stopGuard } from './trial-guard.ts';
import type { Ending, TrialOptions } from './trial-options.ts';
import { TrialPhases } from './trial-phases.ts';

export interface TrialResult {
  readonly record: TrialRecord;
  /** The bed may be used again. */
  readonly bedClean: boolean;
}

/**
 * Runs one trial on a bed that is ready, and writes its record, whatever happens: a trial that broke, was spoiled or
 * was interrupted has a record that says so. Never throws for what the trial did; only when the record cannot be written.
 */
export async function runTrial(options: TrialOptions): Promise<TrialResult> {
  const { bed, planned, writer, clock } = options;
  const { scenario } = planned.point;
  const capture =
    options.capture &&
    (await TrialCapture.start(options.capture, { bed, trialDir: writer.dir, signal: options.signal }));
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
  const guard = await startGuard({
    guard: options.guard,
    bed,
    shortestTimeoutMs: shortestTimeoutMs(scenario, options.warp),
    signal: options.signal,
  });

  const phases = new TrialPhases(options, startNs);
  const ending = await phases.run();
  closedNs = phases.endNs;
  const failures: string[] = [];
  const faults = await endFaults(bed, failures);
  for (const node of bed.nodeRecords()) {
    if (node.exit && !node.exit.expected) bed.events.emit(CRASH_EVENT, { node: node.name, ...node.exit });
  }
  const clean = options.signal.aborted ? undefined : await verifyBed(options, failures);
  const host = await stopGuard(guard, options.disturbances());
  // After the guard: reading out is no load on the trial, and not to be judged as one.
  const pcap = await capture?.stop(options.signal);
  await writer.drained();
  unsubscribe();

  const events = eventsUntilEnd(bed.events.since(options.mark), phases.endNs);
  const voids = [...faults.voids, ...hostVoids(host), ...silentAdapters(bed)];
  const { outcome, reasons, hung }: Ending = options.signal.aborted
    ? { outcome: 'aborted' as const, reasons: [describeError(options.signal.reason)] }
    : finalEnding(ending, failures, voids);
  const unmeasured: Omit<TrialRecord, 'measures'> = {
    ...identityOf(options),
    bed: { id: bed.id, reused: options.bedUse.reused, trialOnBed: options.bedUse.trialOnBed },
    startedAt,
    startNs,
    endNs: phases.endNs,
    overheadMs: options.bedUse.overheadMs,
    outcome,
    reasons,
    // With a bed that could not be put right again, or on a host that was busy, it is not known whose fault it was.
    ...(hung && failures.length + voids.length === 0 && { hung }),
    nodes: bed.nodeRecords(),
    phases: phases.phaseRecords,
    faults: faults.records,
    steps: phases.stepRecords,
    host,
    cleanAfter: clean?.accounted ?? false,
    checks: scenario.checks,
    expectations: scenario.expect ?? [],
    events: { ...writer.events, lost: writer.events.lost + Math.max(0, lostLines(bed) - lostBefore) },
    ...(pcap && { pcap }),
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
    ...identityOf(options),
    bed: { id: options.bedId, reused: false, trialOnBed: 0 },
    startedAt: new Date().toISOString(),
    startNs,
    endNs,
    overheadMs: (endNs - startNs) / 1e6,
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

/** Which trial of what it is; the same for one that ran and one whose bed was never ready. */
function identityOf({
  runId,
  planned,
  trial,
  warp,
}: Pick<TrialOptions, 'runId' | 'planned' | 'trial' | 'warp'>) {
  const { scenario, point, pointId } = planned.point;
  const { suite, name } = scenario;
  const { seed } = planned;
  return { recordVersion: RECORD_VERSION, runId, suite, scenario: name, point, pointId, trial, seed, warp };
}

function finalEnding(ending: Ending, failures: readonly string[], voids: readonly string[]): Ending {
  if (ending.outcome === 'aborted' || ending.outcome === 'error') {
    return { ...ending, reasons: [...ending.reasons, ...failures, ...voids] };
  }
  // What was spoiled proves nothing, whatever else went wrong because of it (a lost agent lifts no fault).
  if (ending.outcome === 'void' || voids.length > 0) {
    return { outcome: 'void', reasons: [...new Set([...ending.reasons, ...voids, ...failures])] };
  }
  if (failures.length > 0) return { outcome: 'error', reasons: [...failures, ...ending.reasons] };
  return ending;
}

/** A host that was busy, or that nobody watched: what such a trial shows may be the host's doing. */
function hostVoids({ verdict, reasons }: HostRecord): readonly string[] {
  if (verdict === 'quiet') return [];
  if (verdict === 'spoiled') return reasons;
  return [`the host was not watched to the end: ${reasons.join('; ')}`];
}

/** An adapter that understood no line of its node says nothing about the trial, so the trial says nothing either. */
function silentAdapters(bed: TrialBed): string[] {
  return bed
    .adapterReports()
    .filter((report) => report.matched === 0 && report.optional !== true)
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
