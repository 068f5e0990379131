import type { Clock } from '../../harness/clock/index.ts';

export const TOO_LATE = Symbol('too late');

/** What the promise resolves with, or TOO_LATE once `waitMs` have passed; it goes on unwatched then. */
export function within<T>(clock: Clock, waitMs: number, promise: Promise<T>): Promise<T | typeof TOO_LATE> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(waitMs, () => resolve(TOO_LATE));
    promise.then(
      (value) => {
        timer.cancel();
        resolve(value);
      },
      (error: unknown) => {
        timer.cancel();
        reject(error);
      },
    );
  });
}
