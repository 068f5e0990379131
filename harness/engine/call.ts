import { SquallError } from '../errors/index.ts';
import { hasCode, toEngineError } from './engine-errors.ts';

/** Own deadlines, so that a hung engine is an error and not a hang. */
export const DEADLINE_MS = { look: 30_000, act: 120_000, build: 1_800_000 } as const;

export interface CallOptions {
  readonly deadlineMs: number;
  /** What starts the deadline: `AbortSignal.timeout`, or a test's own. */
  readonly startDeadline?: ((deadlineMs: number) => AbortSignal) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Asking twice is harmless: tried once more when a kept connection turns out to be dead. */
  readonly idempotent?: boolean;
}

/** Not every call of dockerode heeds its signal; what is left running ends with its connection. */
function raceAbort<T>(running: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    running.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/**
 * One call to the engine: its deadline, its abort, its error in our words.
 * @throws SquallError `engine-timeout` or what `toEngineError` makes of it; the signal's reason when aborted.
 */
export async function call<T>(
  what: string,
  options: CallOptions,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = (options.startDeadline ?? AbortSignal.timeout)(options.deadlineMs);
  const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
  for (let attempt = 1; ; attempt += 1) {
    options.signal?.throwIfAborted();
    try {
      return await raceAbort(run(signal), signal);
    } catch (failure) {
      options.signal?.throwIfAborted();
      if (deadline.aborted) {
        throw new SquallError(
          `${what}: the engine did not answer; expected an answer within ${options.deadlineMs} ms`,
          {
            code: 'engine-timeout',
            hint: 'Look at the engine with `squall doctor`.',
            cause: failure,
          },
        );
      }
      const error = toEngineError(what, failure);
      if (!(options.idempotent && attempt === 1 && hasCode(error, 'engine-unreachable'))) throw error;
    }
  }
}
