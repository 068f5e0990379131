import type { FetchEntry } from './fetch-entry.ts';

/**
 * Keys by rank, with exact removal: each key knows its place, so that taking one out of the middle costs log n and no
 * search. `slots` says where in the key's own table of places this heap's place is kept.
 */
export class EntryHeap {
  readonly #compare: (one: FetchEntry, other: FetchEntry) => number;
  readonly #setPlace: (entry: FetchEntry, slot: number, place: number) => void;
  readonly #entries: FetchEntry[] = [];
  readonly #slots: number[] = [];

  constructor(
    compare: (one: FetchEntry, other: FetchEntry) => number,
    setPlace: (entry: FetchEntry, slot: number, place: number) => void,
  ) {
    this.#compare = compare;
    this.#setPlace = setPlace;
  }

  get size(): number {
    return this.#entries.length;
  }

  first(): FetchEntry | undefined {
    return this.#entries[0];
  }

  add(entry: FetchEntry, slot: number): void {
    this.#entries.push(entry);
    this.#slots.push(slot);
    this.#rise(this.#entries.length - 1);
  }

  each(callback: (entry: FetchEntry, slot: number) => void): void {
    this.#entries.forEach((entry, place) => {
      callback(entry, this.#slots[place] as number);
    });
  }

  removeAt(place: number): void {
    if (this.#entries[place] === undefined) return;
    const last = this.#entries.pop() as FetchEntry;
    const slot = this.#slots.pop() as number;
    if (place === this.#entries.length) return;
    this.#entries[place] = last;
    this.#slots[place] = slot;
    this.#setPlace(last, slot, place);
    this.#sink(place);
    this.#rise(place);
  }

  #rise(from: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (this.#before(parent, place)) break;
      this.#swap(parent, place);
      place = parent;
    }
    this.#setPlace(this.#entries[place] as FetchEntry, this.#slots[place] as number, place);
  }

  #sink(from: number): void {
    let place = from;
    for (;;) {
      const left = 2 * place + 1;
      if (left >= this.#entries.length) return;
      const right = left + 1;
      const child = right < this.#entries.length && !this.#before(left, right) ? right : left;
      if (this.#before(place, child)) return;
      this.#swap(place, child);
      place = child;
    }
  }

  #before(one: number, other: number): boolean {
    return this.#compare(this.#entries[one] as FetchEntry, this.#entries[other] as FetchEntry) <= 0;
  }

  #swap(one: number, other: number): void {
    const [entry, slot] = [this.#entries[one] as FetchEntry, this.#slots[one] as number];
    this.#entries[one] = this.#entries[other] as FetchEntry;
    this.#slots[one] = this.#slots[other] as number;
    this.#entries[other] = entry;
    this.#slots[other] = slot;
    this.#setPlace(this.#entries[one], this.#slots[one], one);
    this.#setPlace(entry, slot, other);
  }
}
