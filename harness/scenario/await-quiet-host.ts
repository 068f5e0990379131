import type { HostGuardFactory, TrialBed, TrialClock } from './ports.ts';
import { startGuard } from './trial-guard.ts';

/** Length of one look at the host. */
const LOOK_MS = 5_000;
/** After this long a trial is tried all the same: its own guard has the last word. */
const PATIENCE_MS = 120_000;

/**
 * Waits until the host looks quiet. Repeating a void trial at once would mostly make another void one, since what
 * spoiled the first (a build, a backup) is still there. Where nobody can look, it does not wait: the trial's own guard says so.
 */
export async function awaitQuietHost(options: {
  readonly guard: HostGuardFactory;
  readonly clock: TrialClock;
  readonly bed: TrialBed;
  readonly shortestTimeoutMs: number;
  readonly onWait: (reason: string) => void;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { guard, clock, bed, shortestTimeoutMs, onWait, signal } = options;
  const untilNs = clock.nowNs() + PATIENCE_MS * 1e6;
  let told = false;
  while (!signal.aborted && clock.nowNs() < untilNs) {
    const look = await startGuard({ guard, bed, shortestTimeoutMs, signal });
    if (typeof look === 'string') return;
    try {
      await clock.sleepUntilNs(clock.nowNs() + LOOK_MS * 1e6, signal);
    } catch (error) {
      // An interrupt is seen by the trial itself, which records it.
      if (!signal.aborted) throw error;
    }
    const { verdict, reasons } = await look.stop();
    if (verdict !== 'spoiled') return;
    if (!told) onWait(reasons[0] ?? 'spoiled');
    told = true;
  }
}
