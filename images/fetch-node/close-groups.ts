import type { ChunkKey } from './chunk-key.ts';

/** A node with its place among the keys. */
export interface Place {
  readonly name: string;
  readonly id: ChunkKey;
}

/** The first 96 bits decide: with them two of a million nodes are as far from a key as each other once in 10^17 keys. */
const words = (hex: string): readonly [number, number] => [
  Number.parseInt(hex.slice(0, 12), 16),
  Number.parseInt(hex.slice(12, 24), 16),
];
const HALF = 2 ** 24;

/** XOR of two 48-bit numbers, which JavaScript's own operator has for 32 bits only. */
function xor48(one: number, other: number): number {
  const high = Math.floor(one / HALF) ^ Math.floor(other / HALF);
  return high * HALF + ((one % HALF) ^ (other % HALF));
}

/** Who is near to a key: the nodes nearest to it hold it, and some more know it as paid for. */
export class CloseGroups {
  readonly #places = new Map<string, readonly [number, number]>();

  constructor(places: Iterable<Place>) {
    for (const place of places) this.add(place);
  }

  get names(): readonly string[] {
    return [...this.#places.keys()];
  }

  get size(): number {
    return this.#places.size;
  }

  has(name: string): boolean {
    return this.#places.has(name);
  }

  add({ name, id }: Place): void {
    this.#places.set(name, words(id));
  }

  remove(name: string): void {
    this.#places.delete(name);
  }

  /** Names of the `count` nodes nearest to a key, the nearest first. */
  nearest(key: ChunkKey, count: number): readonly string[] {
    const own = words(key);
    return [...this.#places]
      .map(([name, [high, low]]) => ({ name, high: xor48(high, own[0]), low: xor48(low, own[1]) }))
      .sort((one, other) => one.high - other.high || one.low - other.low)
      .slice(0, count)
      .map(({ name }) => name);
  }

  /** Whether a node is among the `count` nearest; one that is not here is judged as if it were. */
  isAmong(key: ChunkKey, { name, id }: Place, count: number): boolean {
    const own = words(key);
    const place = words(id);
    const [high, low] = [xor48(place[0], own[0]), xor48(place[1], own[1])];
    let nearer = 0;
    for (const [other, words] of this.#places) {
      if (other === name) continue;
      const otherHigh = xor48(words[0], own[0]);
      if (otherHigh < high || (otherHigh === high && xor48(words[1], own[1]) < low)) nearer += 1;
      if (nearer >= count) return false;
    }
    return true;
  }
}
