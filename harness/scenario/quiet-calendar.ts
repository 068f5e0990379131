/**
 * Which moments belong to which bed. Starting, resetting or removing a bed costs the host both cores for a while, and
 * applying or releasing a fault is the moment that a trial is about: none of these of one bed may fall into those of
 * another. Every such moment is booked ahead as a span; spans of different beds never overlap. A booking is given its
 * time at once, so nobody waits while holding something: no deadlock, and no starvation.
 *
 * Pure: times are whatever clock the caller uses, in ms.
 */
export interface Span {
  /** Relative to the booking's start; negative for what must be quiet before it. */
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Booking {
  readonly id: number;
  readonly owner: string;
  /** When the booked work may begin. */
  readonly startMs: number;
}

interface Booked extends Booking {
  /** Absolute, sorted. */
  spans: { fromMs: number; toMs: number }[];
}

export class QuietCalendar {
  readonly #booked = new Map<number, Booked>();
  #nextId = 1;

  /** Books the spans at the earliest start, not before `notBeforeMs`, at which none overlaps another owner's. */
  book(owner: string, spans: readonly Span[], notBeforeMs: number): Booking {
    const others = this.#spansOfOthers(owner);
    let startMs = notBeforeMs;
    // Each round moves past at least one span of the others, of which there are finitely many.
    for (;;) {
      const clash = firstClash(spans, startMs, others);
      if (clash === undefined) break;
      startMs = clash;
    }
    const booking: Booking = { id: this.#nextId, owner, startMs };
    this.#nextId += 1;
    this.#booked.set(booking.id, {
      ...booking,
      spans: spans.map(({ fromMs, toMs }) => ({ fromMs: startMs + fromMs, toMs: startMs + toMs })),
    });
    return booking;
  }

  /** Whether the booking's spans are still free of others': somebody who overran may have spoiled them. */
  stillFree(id: number): boolean {
    const booked = this.#booked.get(id);
    if (!booked) return false;
    const others = this.#spansOfOthers(booked.owner);
    return firstClash(booked.spans, 0, others) === undefined;
  }

  /** Lets the booking's last span last until `untilMs`: the work takes longer than was booked. */
  extend(id: number, untilMs: number): void {
    const last = this.#booked.get(id)?.spans.at(-1);
    if (last && last.toMs < untilMs) last.toMs = untilMs;
  }

  /** Gives back what is left of the booking. */
  release(id: number): void {
    this.#booked.delete(id);
  }

  /** Forgets what ended before `nowMs`. */
  prune(nowMs: number): void {
    for (const [id, booked] of this.#booked) {
      if (booked.spans.every(({ toMs }) => toMs < nowMs)) this.#booked.delete(id);
    }
  }

  /** Bookings of others than `owner` that have a span over this moment. */
  bookingsAt(momentMs: number, owner: string): Booking[] {
    return [...this.#booked.values()].filter(
      (booked) =>
        booked.owner !== owner &&
        booked.spans.some(({ fromMs, toMs }) => fromMs <= momentMs && momentMs < toMs),
    );
  }

  #spansOfOthers(
    owner: string,
  ): { readonly owner: string; readonly fromMs: number; readonly toMs: number }[] {
    return [...this.#booked.values()]
      .filter((booked) => booked.owner !== owner)
      .flatMap((booked) => booked.spans.map((span) => ({ owner: booked.owner, ...span })))
      .sort((a, b) => a.fromMs - b.fromMs);
  }
}

/** The start that moves the first clashing span past what it clashes with; undefined when nothing clashes. */
function firstClash(
  spans: readonly Span[],
  startMs: number,
  others: readonly { readonly fromMs: number; readonly toMs: number }[],
): number | undefined {
  for (const span of spans) {
    const fromMs = startMs + span.fromMs;
    const toMs = startMs + span.toMs;
    const other = others.find((one) => one.fromMs < toMs && fromMs < one.toMs);
    if (other) return startMs + (other.toMs - fromMs);
  }
  return undefined;
}
