import type { Clock } from '../../harness/clock/index.ts';

export interface Limits {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** What comes of work that time was too short for. */
export const TOO_LATE = Symbol('too late');

/**
 * What `work` comes to, or TOO_LATE when time is first; the signal rejects. The work itself goes on: its end is then nobody's
 * concern.
 */
export async function withinOrLate<T>(limits: Limits, work: Promise<T>): Promise<T | typeof TOO_LATE> {
  const { clock, timeoutMs, signal } = limits;
  signal?.throwIfAborted();
  let cleanUp: () => void = () => undefined;
  const limit = new Promise<typeof TOO_LATE>((resolve, reject) => {
    const timer = clock.after(timeoutMs, () => resolve(TOO_LATE));
    const onAbort = (): void => reject(signal?.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    cleanUp = () => {
      timer.cancel();
      signal?.removeEventListener('abort', onAbort);
    };
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    cleanUp();
  }
}

/** The same, where a timeout is an error. */
export async function within<T>(limits: Limits, work: Promise<T>, late: () => Error): Promise<T> {
  const outcome = await withinOrLate(limits, work);
  if (outcome === TOO_LATE) throw late();
  return outcome;
}
