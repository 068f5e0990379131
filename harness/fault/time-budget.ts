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
    return await Promise.race([work(controller.signal), rejectedWhen(controller.signal)]);
  } finally {
    clearTimeout(timer);
  }
}

/** Rejects with the signal's reason when it aborts; never resolves. */
export function rejectedWhen(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
