import type { TrialOutcome, TrialWriter } from '../record/index.ts';
import type { PlannedTrial } from './plan-run.ts';
import type { HostGuardFactory, TrialBed, TrialClock } from './ports.ts';
import type { QuietWindows } from './quiet-windows.ts';
import type { CaptureRequest } from './trial-capture.ts';

/** What one trial runs with. */
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
  /** Packets are captured when present. */
  readonly capture?: CaptureRequest;
  readonly onStep: (text: string) => void;
  /** The first phase is over (or its first step, where it is the only one), or a fault is next: the bed disturbs nobody any more. */
  readonly onSettled: () => void;
  readonly signal: AbortSignal;
}

/** How a trial's phases ended. */
export interface Ending {
  readonly outcome: TrialOutcome;
  readonly reasons: readonly string[];
  /** It went beyond its time budget. */
  readonly hung?: boolean;
}
