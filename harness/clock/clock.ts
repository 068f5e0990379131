/** A timer that was set. */
export interface Timer {
  /** Afterwards it never fires; may be called again. */
  cancel(): void;
}

/** What code that waits is given instead of Date and setTimeout. */
export interface Clock {
  /** Milliseconds since the clock began, never backwards. */
  nowMs(): number;
  /** Milliseconds since 1970, led together with `nowMs`; for timestamps that a protocol carries. */
  wallMs(): number;
  /** Calls back once, in `delayMs` or later. */
  after(delayMs: number, callback: () => void): Timer;
  /** Calls back every `intervalMs`, at whole multiples from now on, until cancelled. */
  every(intervalMs: number, callback: () => void): Timer;
  /** Resolves in `delayMs`; rejects with the signal's reason when that comes first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** A clock that can be sent forward. */
export interface LeapingClock extends Clock {
  /**
   * Moves the clock forward by `ms` at once. Whatever is due until then fires in order; what it awaits gets its turn
   * before the next timer. Leaps asked for at the same time follow each other.
   * @returns how many timers fired
   */
  leap(ms: number): Promise<number>;
}
