import { SquallError } from '../errors/index.ts';
import type { LeapingClock, Timer } from './clock.ts';
import { TimerQueue } from './timer-queue.ts';

/** setTimeout takes a signed 32-bit number of milliseconds and fires at once above it. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** Real time as the clock sees it. */
interface RealTime {
  nowMs(): number;
  wallMs(): number;
  /** Calls back once; a new call replaces the one before. `undefined` takes it back. */
  wake(delayMs: number | undefined, callback: () => void): void;
}

/** Real time, `warp` times as fast (1 by default), and able to leap. @throws SquallError `bad-warp` (input) */
export function systemClock(options: { readonly warp?: number } = {}): LeapingClock {
  const warp = options.warp ?? 1;
  if (!(warp > 0 && Number.isFinite(warp))) {
    throw new SquallError(`clock: warp ${warp} found; expected a number above 0`, {
      code: 'bad-warp',
      blame: 'input',
    });
  }
  let timeout: NodeJS.Timeout | undefined;
  return new LedClock(
    {
      nowMs: () => performance.now(),
      wallMs: () => Date.now(),
      wake: (delayMs, callback) => {
        clearTimeout(timeout);
        timeout =
          delayMs === undefined ? undefined : setTimeout(callback, Math.min(delayMs, LONGEST_TIMEOUT_MS));
      },
    },
    warp,
  );
}

/** Stands still at 0 ms, and at `wallMs` since 1970, until it is told to leap. */
export function manualClock(options: { readonly wallMs?: number } = {}): LeapingClock {
  const wallMs = options.wallMs ?? 0;
  return new LedClock({ nowMs: () => 0, wallMs: () => wallMs, wake: () => undefined }, 1);
}

class LedClock implements LeapingClock {
  readonly #real: RealTime;
  readonly #warp: number;
  readonly #timers = new TimerQueue();
  readonly #startMs: number;
  readonly #startWallMs: number;
  #leaptMs = 0;
  /** During a leap the time that its timers see; real time then has no say. */
  #frozenMs: number | undefined;
  #leaps: Promise<unknown> = Promise.resolve();

  constructor(real: RealTime, warp: number) {
    this.#real = real;
    this.#warp = warp;
    this.#startMs = real.nowMs();
    this.#startWallMs = real.wallMs();
  }

  nowMs(): number {
    return this.#frozenMs ?? this.#flowingMs();
  }

  wallMs(): number {
    return this.#startWallMs + this.nowMs();
  }

  after(delayMs: number, callback: () => void): Timer {
    const timer = this.#timers.add(this.nowMs() + Math.max(0, delayMs), callback);
    this.#wakeForFirst();
    const cancel = (): void => {
      const wasFirst = this.#timers.first() === timer;
      this.#timers.cancel(timer);
      // Nothing is left to wake for, or something later: a process must not stay alive for a timer that is gone.
      if (wasFirst) this.#wakeForFirst();
    };
    return { cancel };
  }

  every(intervalMs: number, callback: () => void): Timer {
    if (!(intervalMs > 0)) {
      throw new SquallError(`clock: interval of ${intervalMs} ms found; expected more than 0`, {
        code: 'bad-interval',
      });
    }
    const startMs = this.nowMs();
    let turn = 0;
    let cancelled = false;
    let next: Timer;
    const set = (): void => {
      // After a pause of the whole process the missed turns are left out, as setInterval does; a leap misses none.
      turn = Math.max(turn + 1, Math.floor((this.nowMs() - startMs) / intervalMs) + 1);
      next = this.after(startMs + turn * intervalMs - this.nowMs(), () => {
        // Set before it is called, so that a callback which throws does not end the series.
        set();
        callback();
      });
      if (cancelled) next.cancel();
    };
    set();
    return {
      cancel: () => {
        cancelled = true;
        next.cancel();
      },
    };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const onAbort = (): void => {
        timer.cancel();
        reject(signal?.reason);
      };
      const timer = this.after(delayMs, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  leap(ms: number): Promise<number> {
    if (!(ms >= 0 && Number.isFinite(ms))) {
      return Promise.reject(
        new SquallError(`clock: leap of ${ms} ms found; expected 0 or more`, {
          code: 'bad-leap',
          blame: 'input',
        }),
      );
    }
    const leaping = this.#leaps.then(() => this.#leapNow(ms));
    // The next leap follows whether or not this one ends well; its own caller hears of the failure.
    this.#leaps = leaping.catch(() => undefined);
    return leaping;
  }

  async #leapNow(ms: number): Promise<number> {
    const fromMs = this.#flowingMs();
    const targetMs = fromMs + ms;
    let fired = 0;
    this.#frozenMs = fromMs;
    try {
      for (;;) {
        const first = this.#timers.first();
        if (!first || first.dueMs > targetMs) break;
        this.#timers.take();
        this.#frozenMs = Math.max(this.#frozenMs, first.dueMs);
        first.callback();
        fired += 1;
        await turnOfEverythingAwaited();
      }
    } finally {
      // Real time that passed during the leap counts into it, so that the clock never goes back.
      this.#leaptMs += Math.max(0, targetMs - this.#flowingMs());
      this.#frozenMs = undefined;
      this.#wakeForFirst();
    }
    return fired;
  }

  #flowingMs(): number {
    return (this.#real.nowMs() - this.#startMs) * this.#warp + this.#leaptMs;
  }

  #wakeForFirst(): void {
    if (this.#frozenMs !== undefined) return;
    const first = this.#timers.first();
    const delayMs = first === undefined ? undefined : (first.dueMs - this.#flowingMs()) / this.#warp;
    this.#real.wake(delayMs === undefined ? undefined : Math.max(0, Math.ceil(delayMs)), () =>
      this.#fireDue(),
    );
  }

  /** Fires what is due now; what timers add on the way waits for its own turn, as with setTimeout. */
  #fireDue(): void {
    if (this.#frozenMs !== undefined) return;
    try {
      const nowMs = this.#flowingMs();
      for (let first = this.#timers.first(); first && first.dueMs <= nowMs; first = this.#timers.first()) {
        this.#timers.take();
        first.callback();
      }
    } finally {
      this.#wakeForFirst();
    }
  }
}

/** Promise continuations run before setImmediate's callback, however long their chain. */
function turnOfEverythingAwaited(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
