import type { HostRecord, RecordedEvent, TrialRecord } from '../record/index.ts';
import type { Bed, BedProgress, LineListener } from '../testnet/index.ts';
import type { ResolvedTopology } from '../topology/index.ts';
import type { PlannedPoint } from './plan-run.ts';

/** The host's monotonic clock, the same as the nodes'. */
export interface TrialClock {
  nowNs(): number;
  /** Resolves at that instant; rejects with the signal's reason when it aborts. */
  sleepUntilNs(instantNs: number, signal: AbortSignal): Promise<void>;
}

/** A bed as the runner uses it. */
export interface TrialBed {
  readonly id: string;
  readonly events: Pick<
    Bed['events'],
    'subscribe' | 'mark' | 'since' | 'forget' | 'emit' | 'waitFor' | 'last' | 'append'
  >;
  readonly faults: Pick<Bed['faults'], 'plan' | 'apply' | 'lift' | 'liftAll' | 'takeRecords'>;
  nodes(): ReturnType<Bed['nodes']>;
  select(selector: string, seed: string): readonly string[];
  admin: Bed['admin'];
  exec(
    node: string,
    command: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }>;
  relaunch(node: string, env: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void>;
  replace(node: string, image: string | undefined, signal: AbortSignal): Promise<void>;
  resetTo(topology: ResolvedTopology, signal: AbortSignal): Promise<void>;
  verifyClean(signal?: AbortSignal): ReturnType<Bed['verifyClean']>;
  diagnose(node: string): Promise<unknown>;
  /** Captures the packets of all nodes until stopped. */
  capture: Bed['capture'];
  nodeRecords: Bed['nodeRecords'];
  logCounts(node: string): { readonly lostLines: number };
  adapterReports: Bed['adapterReports'];
  /** Where containers that a suite starts itself may stand. */
  guestPlace(): GuestPlace;
  remove(): Promise<void>;
  /** Stops everything at once and removes what the time allows; the rest is the watchdog's when this process ends. */
  removeWithin(patienceMs: number): Promise<boolean>;
}

/** What a suite's own container needs to stand on the bed's network and to be removed with the bed. */
export interface GuestPlace {
  readonly networkId: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Starts beds. */
export interface BedFactory {
  start(options: {
    readonly topology: ResolvedTopology;
    readonly bedId: string;
    readonly seed: string;
    readonly onLine: LineListener;
    readonly onProgress: (progress: BedProgress) => void;
    readonly signal: AbortSignal;
  }): Promise<TrialBed>;
}

/** Watches the host during one trial. */
export interface HostGuard {
  stop(): Promise<HostRecord>;
}

export interface HostGuardFactory {
  start(trial: {
    readonly bed: TrialBed;
    readonly shortestTimeoutMs: number;
    readonly signal: AbortSignal;
  }): Promise<HostGuard>;
}

/** What the judging side is asked while the run goes on. */
export interface TrialDecision {
  readonly action: 'continue' | 'stop';
  readonly why?: string;
  /** Stop means the whole run, whatever other points had left. */
  readonly everywhere?: boolean;
}

export interface TrialJudge {
  /** Whether a point needs more of its planned trials. Its bed begins no other trial before the answer. */
  decide(point: PlannedPoint, trials: readonly TrialRecord[]): TrialDecision | Promise<TrialDecision>;
  /** Asked after void and broken trials too: it watches more than answers, such as time and room. */
  readonly asksAlways?: boolean;
  /** Whether a trial that broke is an answer all the same, so that its point needs no more and nothing of ours is at fault. */
  answered?(point: PlannedPoint, trial: TrialRecord): boolean;
  /**
   * Whether a trial shows a failure of the system, for `--keep-on-failure` and the diagnosis of nodes. Without its events,
   * what can only be judged from them is left out.
   */
  failed(point: PlannedPoint, trial: TrialRecord, events?: readonly RecordedEvent[]): boolean;
  /** Whether something of the trial can only be judged from its events. */
  needsEvents?(point: PlannedPoint, trial: TrialRecord): boolean;
}
