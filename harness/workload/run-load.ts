import type { Clock } from '../clock/index.ts';
import { SquallError } from '../errors/index.ts';
import type { SeededStream } from '../random/index.ts';

export interface LoadOptions {
  readonly clock: Clock;
  /** Stream of the concern, such as `workload`: it decides when operations begin. */
  readonly chance: SeededStream;
  /** Operations a second on average, at times that do not depend on each other (exponential gaps). */
  readonly perSecond: number;
  /** So many may be under way at once; what falls due above that is skipped and counted, never queued. */
  readonly inFlightMax: number;
  /** Does the operation with this number, from 1 on. It handles its own errors. */
  readonly operate: (ordinal: number) => Promise<void>;
  /** Ends the load; `runLoad` then waits for what is under way. */
  readonly signal: AbortSignal;
}

/**
 * An open load: operations begin when they are due, however slow the system answers, so that a stall shows as latency
 * and not as silence.
 * @returns how many began and how many were skipped
 */
export async function runLoad(
  options: LoadOptions,
): Promise<{ readonly begun: number; readonly skipped: number }> {
  const { clock, chance, perSecond, inFlightMax, operate, signal } = options;
  if (!(perSecond > 0) || !(inFlightMax >= 1)) {
    throw new SquallError(
      `load: ${perSecond} a second, ${inFlightMax} in flight; expected more than 0 and at least 1`,
      { code: 'bad-load', blame: 'input' },
    );
  }
  const underWay = new Set<Promise<void>>();
  const errors: unknown[] = [];
  let begun = 0;
  let skipped = 0;
  let dueMs = clock.nowMs();
  while (!signal.aborted) {
    dueMs += (-Math.log(1 - chance.next()) * 1_000) / perSecond;
    if (!(await sleptUntil(dueMs, clock, signal))) break;
    if (underWay.size >= inFlightMax) {
      skipped += 1;
      continue;
    }
    begun += 1;
    const running = operate(begun)
      .catch((error: unknown) => {
        errors.push(error);
      })
      .finally(() => underWay.delete(running));
    underWay.add(running);
  }
  await Promise.all(underWay);
  if (errors.length > 0) throw errors[0];
  return { begun, skipped };
}

async function sleptUntil(dueMs: number, clock: Clock, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(dueMs - clock.nowMs(), signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
