import { QuietCalendar, type Span } from './quiet-calendar.ts';

/** The clock that bookings are made on. */
export interface QuietClock {
  nowMs(): number;
  /** Resolves at that moment, or rejects with the signal's reason. */
  sleepUntilMs(momentMs: number, signal: AbortSignal): Promise<void>;
}

/** Somebody's work ran into a moment that belonged to another bed. */
export interface Overrun {
  readonly owner: string;
  readonly into: string;
  readonly atMs: number;
}

/** How far a moment reaches: quiet before it, and the time after it that matters. */
export interface Margins {
  readonly beforeMs: number;
  readonly afterMs: number;
}

/** Heavy work that goes on. */
export interface HeavyTurn {
  end(): void;
}

/** While work overruns its estimate, its booking is extended this far ahead at a time. */
const EXTENSION_MS = 3_000;
/** How often work that goes on is looked at. */
const LOOK_EVERY_MS = 250;

/**
 * Keeps the critical windows of several beds apart: beds' heavy work goes through `heavy`, and the instants of a fault
 * timeline are booked with `instants` before the first of them.
 */
export class QuietWindows {
  readonly #calendar = new QuietCalendar();
  /** Bookings of heavy work that is going on. */
  readonly #live = new Set<number>();
  /** Bookings whose owner has gone on with them; the others can still be moved. */
  readonly #begun = new Set<number>();
  /** Aborted when a booking is given back: whoever waits may then have an earlier time. */
  #freed = new AbortController();
  readonly #clock: QuietClock;
  readonly #onOverrun: (overrun: Overrun) => void;
  readonly #light: boolean;

  /** @param how light: only heavy work is kept apart; nobody's instants need quiet, and no overrun is told */
  constructor(
    clock: QuietClock,
    onOverrun: (overrun: Overrun) => void = () => undefined,
    how: { readonly light: boolean } = { light: false },
  ) {
    this.#clock = clock;
    this.#onOverrun = how.light ? () => undefined : onOverrun;
    this.#light = how.light;
  }

  /** Runs heavy work (starting, resetting, removing a bed) when it disturbs nobody for as long as it should take. */
  async heavy<T>(owner: string, estimateMs: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const turn = await this.begin(owner, estimateMs, signal);
    try {
      return await work();
    } finally {
      turn.end();
    }
  }

  /** The same for work whose end somebody else sees: resolves when it may begin. `end` may be called twice. */
  async begin(owner: string, estimateMs: number, signal: AbortSignal): Promise<HeavyTurn> {
    const { id } = await this.#waitForTurn(owner, [{ fromMs: 0, toMs: estimateMs }], 0, signal);
    this.#live.add(id);
    const disturbed = new Set<string>();
    const timer = setInterval(() => {
      const nowMs = this.#clock.nowMs();
      this.#calendar.extend(id, nowMs + EXTENSION_MS);
      for (const other of this.#calendar.bookingsAt(nowMs, owner)) {
        if (!this.#begun.has(other.id) || disturbed.has(other.owner)) continue;
        disturbed.add(other.owner);
        this.#onOverrun({ owner, into: other.owner, atMs: nowMs });
      }
    }, LOOK_EVERY_MS);
    return {
      end: () => {
        clearInterval(timer);
        this.#live.delete(id);
        this.#release(id);
      },
    };
  }

  /**
   * Books a timeline of instants (ms after its start) with what surrounds each; resolves shortly before it starts.
   * `release` gives back what has not passed.
   * @param leadMs how long before the start to resolve, so that the caller can arm
   */
  async instants(
    owner: string,
    instants: readonly { readonly atMs: number; readonly margins: Margins }[],
    leadMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly startMs: number; release(): void }> {
    if (this.#light) {
      signal.throwIfAborted();
      return { startMs: this.#clock.nowMs() + leadMs, release: () => undefined };
    }
    const spans = instants.map(({ atMs, margins }) => ({
      fromMs: atMs - margins.beforeMs,
      toMs: atMs + margins.afterMs,
    }));
    const booking = await this.#waitForTurn(owner, spans, leadMs, signal);
    return { startMs: booking.startMs, release: () => this.#release(booking.id) };
  }

  async #waitForTurn(
    owner: string,
    spans: readonly Span[],
    leadMs: number,
    signal: AbortSignal,
  ): Promise<{ readonly id: number; readonly startMs: number }> {
    for (;;) {
      signal.throwIfAborted();
      this.#calendar.prune(this.#clock.nowMs());
      const booking = this.#calendar.book(owner, spans, this.#clock.nowMs() + leadMs);
      const freed = this.#freed.signal;
      try {
        await this.#clock.sleepUntilMs(booking.startMs - leadMs, AbortSignal.any([signal, freed]));
      } catch (error) {
        // Booked anew at once, in the order of waiting; the time that it had is still free to it, so it gets no later one.
        this.#calendar.release(booking.id);
        if (freed.aborted && !signal.aborted) continue;
        throw error;
      }
      // Whoever overran into these spans in the meantime has them; a new time is booked then.
      for (const id of this.#live) this.#calendar.extend(id, this.#clock.nowMs() + EXTENSION_MS);
      if (this.#calendar.stillFree(booking.id)) {
        this.#begun.add(booking.id);
        return booking;
      }
      this.#calendar.release(booking.id);
    }
  }

  #release(id: number): void {
    this.#begun.delete(id);
    this.#calendar.release(id);
    const freed = this.#freed;
    this.#freed = new AbortController();
    freed.abort();
  }
}
