import { EntryHeap } from './entry-heap.ts';
import type { FetchEntry } from './fetch-entry.ts';

/** Keys that wait for a share, each under exactly the sources that it waits for, and the nearest of each source first. */
export class ParkIndex {
  /** Real time that keeping the index took. */
  maintenanceMs = 0;
  /** Most keys that were parked at a time, and the longest that one was. */
  most = 0;
  longestMs = 0;
  readonly #compare: (one: FetchEntry, other: FetchEntry) => number;
  readonly #stopwatchMs: () => number;
  readonly #heaps = new Map<string, EntryHeap>();
  /** In the order in which they were parked. */
  readonly #parked = new Set<FetchEntry>();
  #indexSize = 0;

  constructor(compare: (one: FetchEntry, other: FetchEntry) => number, stopwatchMs: () => number) {
    this.#compare = compare;
    this.#stopwatchMs = stopwatchMs;
  }

  /** Parked keys. */
  get size(): number {
    return this.#parked.size;
  }

  /** Places in the index: each key counts once for each of its sources. */
  get indexSize(): number {
    return this.#indexSize;
  }

  get oldest(): FetchEntry | undefined {
    for (const entry of this.#parked) return entry;
    return undefined;
  }

  /** Sources that keys are parked under. */
  sources(): Iterable<string> {
    return this.#heaps.keys();
  }

  nearestUnder(source: string): FetchEntry | undefined {
    return this.#heaps.get(source)?.first();
  }

  countUnder(source: string): number {
    return this.#heaps.get(source)?.size ?? 0;
  }

  park(entry: FetchEntry, under: readonly string[], nowMs: number): void {
    const beganMs = this.#stopwatchMs();
    entry.state = 'parked';
    entry.parkedAtMs = nowMs;
    entry.parkedUnder = [...under];
    entry.parkedPlaces = new Int32Array(under.length);
    this.#parked.add(entry);
    this.most = Math.max(this.most, this.#parked.size);
    under.forEach((source, slot) => {
      let heap = this.#heaps.get(source);
      if (!heap) {
        heap = new EntryHeap(this.#compare, setParkedPlace);
        this.#heaps.set(source, heap);
      }
      heap.add(entry, slot);
    });
    this.#indexSize += under.length;
    this.maintenanceMs += this.#stopwatchMs() - beganMs;
  }

  /** Nobody waits for this source any more; keys stay parked under their others. */
  forgetSource(source: string): void {
    const heap = this.#heaps.get(source);
    if (!heap) return;
    const beganMs = this.#stopwatchMs();
    this.#heaps.delete(source);
    this.#indexSize -= heap.size;
    heap.each((entry, slot) => {
      entry.parkedUnder[slot] = undefined;
    });
    this.maintenanceMs += this.#stopwatchMs() - beganMs;
  }

  unpark(entry: FetchEntry, nowMs: number): void {
    const beganMs = this.#stopwatchMs();
    this.longestMs = Math.max(this.longestMs, nowMs - entry.parkedAtMs);
    entry.parkedUnder.forEach((source, slot) => {
      if (source === undefined) return;
      this.#indexSize -= 1;
      const heap = this.#heaps.get(source);
      heap?.removeAt(entry.parkedPlaces[slot] ?? -1);
      if (heap?.size === 0) this.#heaps.delete(source);
    });
    this.#parked.delete(entry);
    entry.parkedUnder = [];
    this.maintenanceMs += this.#stopwatchMs() - beganMs;
  }
}

function setParkedPlace(entry: FetchEntry, slot: number, place: number): void {
  entry.parkedPlaces[slot] = place;
}
