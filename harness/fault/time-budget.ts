import { SquallError } from '../errors/index.ts';

/** Nanoseconds of CLOCK_MONOTONIC, the clock that containers on the same kernel share. */
export function monotonicNs(): number {
  return Number(process.hrtime.bigint());
}

/** Runs an undo on its own time budget, whatever became of the signal of what it undoes. @throws SquallError `over-budget` */
export async function withBudget<T>(
  subject: string,
  budgetMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const late = new SquallError(`${subject}: not done within its budget of ${budgetMs} ms`, {
    code: 'over-budget',
    facts: { budgetMs },
    hint: 'The bed is dirty: it must be removed and not be used again.',
  });
  const timer = setTimeout(() => controller.abort(late), budgetMs);
  try {
    return await unlessAborted(controller.signal, work(controller.signal));
  } finally {
    clearTimeout(timer);
  }
}

/** What the work gives, or the signal's reason when that comes first; the signal keeps no listener. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort);
  }
}
