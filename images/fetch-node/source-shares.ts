import type { Attempt, FetchEntry } from './fetch-entry.ts';

/** What is in flight where: each attempt takes a share of its source and gives it back once. */
export class SourceShares {
  readonly #taken = new Map<string, number>();
  #most = 0;
  readonly #attempts = new Map<Attempt, FetchEntry>();

  /** Attempts in flight, everywhere. */
  get size(): number {
    return this.#attempts.size;
  }

  /** Most that were in flight to one source at a time, whichever it was. */
  get most(): number {
    return this.#most;
  }

  of(source: string): number {
    return this.#taken.get(source) ?? 0;
  }

  /** Sources with so many in flight, or more. */
  atLeast(count: number): number {
    return [...this.#taken.values()].filter((taken) => taken >= count).length;
  }

  take(attempt: Attempt, entry: FetchEntry): void {
    this.#attempts.set(attempt, entry);
    const taken = this.of(attempt.source) + 1;
    this.#taken.set(attempt.source, taken);
    this.#most = Math.max(this.#most, taken);
  }

  /** The attempt is over, and its share stays taken until `release`. @returns its key's entry; undefined: it was over */
  end(attempt: Attempt): FetchEntry | undefined {
    const entry = this.#attempts.get(attempt);
    this.#attempts.delete(attempt);
    return entry;
  }

  release(source: string): void {
    const left = this.of(source) - 1;
    if (left > 0) this.#taken.set(source, left);
    else this.#taken.delete(source);
  }

  matching(fits: (attempt: Attempt, entry: FetchEntry) => boolean): readonly Attempt[] {
    return [...this.#attempts].filter(([attempt, entry]) => fits(attempt, entry)).map(([attempt]) => attempt);
  }

  forget(source: string): void {
    this.#taken.delete(source);
  }
}
