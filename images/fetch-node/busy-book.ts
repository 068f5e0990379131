import type { FetchRules } from './fetch-rules.ts';

export interface BusyLimits {
  /** Sources that the book holds. */
  readonly capacity: number;
  /** Longest cooldown. */
  readonly maximumMs: number;
}

interface Cooling {
  untilMs: number;
  /** Busy answers in a row. */
  answers: number;
}

/** Times the wait, by how many busy answers came in a row; the last from then on. */
const FACTORS = [1, 2, 4, 8];

/** Which holders said that they are busy, and until when they are put behind all others. */
export class BusyBook {
  readonly #rules: FetchRules;
  readonly #limits: BusyLimits;
  readonly #nowMs: () => number;
  readonly #sources = new Map<string, Cooling>();

  constructor(rules: FetchRules, limits: BusyLimits, nowMs: () => number) {
    this.#rules = rules;
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  /**
   * A holder answered busy.
   * @param waitMs the wait drawn for this answer, jitter included
   * @returns what is left of the cooldown in force
   */
  record(source: string, waitMs: number): number {
    const nowMs = this.#nowMs();
    const known = this.#sources.get(source);
    const answers = (known?.answers ?? 0) + 1;
    const factor = this.#rules.busyGrows ? (FACTORS[Math.min(answers, FACTORS.length) - 1] ?? 1) : 1;
    const wanted = waitMs * factor;
    const cooldownMs = this.#rules.busyCapped ? Math.min(wanted, this.#limits.maximumMs) : wanted;
    const runningUntilMs = this.#rules.busyNeverShortened ? (known?.untilMs ?? 0) : 0;
    const untilMs = Math.max(runningUntilMs, nowMs + cooldownMs);
    if (!known && this.#sources.size >= this.#limits.capacity) this.#makeRoom();
    if (known || this.#sources.size < this.#limits.capacity) this.#sources.set(source, { untilMs, answers });
    return this.#rules.busyReportsRemaining ? untilMs - nowMs : cooldownMs;
  }

  /** It answered with something else: its next busy answer is a first one. A cooldown that runs is not shortened. */
  served(source: string): void {
    const known = this.#sources.get(source);
    if (known) known.answers = 0;
  }

  isCooling(source: string): boolean {
    return (this.#sources.get(source)?.untilMs ?? 0) > this.#nowMs();
  }

  forget(source: string): void {
    this.#sources.delete(source);
  }

  /** How many holders it knows, cooling or not: `fetch_busy_sources_tracked`. */
  get size(): number {
    return this.#sources.size;
  }

  /** What is over goes first; when all are cooling, the one that would be over first. */
  #makeRoom(): void {
    for (const source of this.#sources.keys()) if (!this.isCooling(source)) this.#sources.delete(source);
    if (this.#sources.size < this.#limits.capacity || !this.#rules.busyEvicts) return;
    let first: [string, Cooling] | undefined;
    for (const one of this.#sources) if (!first || one[1].untilMs < first[1].untilMs) first = one;
    if (first) this.#sources.delete(first[0]);
  }
}
