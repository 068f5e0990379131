import { SquallError } from '../errors/index.ts';

/** Lets at most `limit` pieces of work run at once; the rest wait in the order of their arrival. */
export class Gate {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    if (!Number.isInteger(limit) || limit < 1) {
      throw new SquallError(`concurrency ${limit}: not a positive whole number`, {
        code: 'bad-concurrency',
        blame: 'input',
      });
    }
    this.#limit = limit;
  }

  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}

/**
 * Maps with at most `limit` in flight and gives the results in the order of the items.
 * The first failure stops what has not begun, waits for what has, and is thrown.
 */
export async function mapBounded<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
  signal?: AbortSignal,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  let failure: { readonly error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    while (next < items.length && !failure && !signal?.aborted) {
      const index = next++;
      try {
        results[index] = await work(items[index] as T, index);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (failure) throw failure.error;
  signal?.throwIfAborted();
  return results;
}

/** Like `mapBounded`, but every item is tried; the errors come back beside the items that caused them. */
export async function tryEach<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<readonly { readonly item: T; readonly error: unknown }[]> {
  const failures: { item: T; error: unknown }[] = [];
  await mapBounded(items, limit, async (item) => {
    try {
      await work(item);
    } catch (error) {
      failures.push({ item, error });
    }
  });
  return failures;
}

/**
 * Waits for work, tells it to stop after `patienceMs`, and waits `graceMs` (as long again, if not said) for what it has under way.
 * @returns whether the work was done; what it throws before it was told to stop is thrown
 */
export async function withinOrStopped(
  patienceMs: number,
  work: Promise<unknown>,
  stop: () => void,
  graceMs = patienceMs,
): Promise<boolean> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const left = new Promise<false>((resolve) => {
    timer = setTimeout(() => {
      stopped = true;
      stop();
      timer = setTimeout(() => resolve(false), graceMs);
    }, patienceMs);
  });
  try {
    return await Promise.race([work.then(() => true), left]);
  } catch (error) {
    if (!stopped) throw error;
    return false;
  } finally {
    clearTimeout(timer);
  }
}
