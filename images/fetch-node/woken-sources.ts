import type { FetchEntry } from './fetch-entry.ts';
import type { ParkIndex } from './park-index.ts';

/** Sources that may have become startable since their parked keys were last looked at. */
export class WokenSources {
  readonly #parked: ParkIndex;
  readonly #compare: (one: FetchEntry, other: FetchEntry) => number;
  readonly #isStartable: (source: string) => boolean;
  readonly #sources = new Set<string>();

  constructor(
    parked: ParkIndex,
    compare: (one: FetchEntry, other: FetchEntry) => number,
    isStartable: (source: string) => boolean,
  ) {
    this.#parked = parked;
    this.#compare = compare;
    this.#isStartable = isStartable;
  }

  add(source: string): void {
    this.#sources.add(source);
  }

  delete(source: string): void {
    this.#sources.delete(source);
  }

  /** The nearest key that is parked under one that can start. Sources that cannot, or have none, are looked at no more. */
  nearest(): FetchEntry | undefined {
    let nearest: FetchEntry | undefined;
    for (const source of this.#sources) {
      const entry = this.#isStartable(source) ? this.#parked.nearestUnder(source) : undefined;
      if (!entry) this.#sources.delete(source);
      else if (!nearest || this.#compare(entry, nearest) < 0) nearest = entry;
    }
    return nearest;
  }
}
