import type { Clock } from '../../harness/clock/index.ts';

export interface Limits {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `work` comes to, unless time or the signal is first. The work itself goes on: its end is then nobody's concern.
 * @param late the error of a timeout
 */
export async function within<T>(limits: Limits, work: Promise<T>, late: () => Error): Promise<T> {
  const { clock, timeoutMs, signal } = limits;
  signal?.throwIfAborted();
  let cleanUp: () => void = () => undefined;
  const limit = new Promise<never>((_, reject) => {
    const timer = clock.after(timeoutMs, () => reject(late()));
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
