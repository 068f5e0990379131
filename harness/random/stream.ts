import { createHash } from 'node:crypto';
import { SquallError } from '../errors/index.ts';
import { xoshiro128starstar } from './xoshiro128starstar.ts';

/** A repeatable source of chance for one concern. */
export interface SeededStream {
  /** Uniform in [0, 1), 53 bits. */
  next(): number;
  /** Uniform in 0 … below − 1, without modulo bias; `below` is a whole number from 1 to 2^32. */
  integer(below: number): number;
  /** `count` different items in the order drawn; what `pick(1)` gives is the first that `pick(8)` gives. */
  pick<T>(count: number, from: readonly T[]): T[];
  /** All items in a random order; the list given stays as it is. */
  shuffle<T>(list: readonly T[]): T[];
  /** `count` bytes, for seeded keys and payloads. */
  bytes(count: number): Uint8Array;
  /** Another stream, decided by this one's seed and name alone and not by what was drawn from it. */
  derive(name: string): SeededStream;
}

/**
 * The stream of `seed` for the concern `name`: xoshiro128** started with the first 128 bits of a SHA-256 over both.
 * @param seed the run's or the trial's seed, any text
 * @param name the concern, such as `targets` or `workload/client-3`
 */
export function stream(seed: string, name: string): SeededStream {
  return streamOf([seed, name]);
}

function streamOf(path: readonly string[]): SeededStream {
  const nextWord = xoshiro128starstar(hashOf(path));

  const integer = (below: number): number => {
    if (!Number.isInteger(below) || below < 1 || below > 2 ** 32) {
      throw new SquallError(
        `random stream "${path.join('/')}": asked for a number below ${below}; expected 1 to 2^32`,
        { code: 'bad-random-range' },
      );
    }
    // Rejecting what lies above the last whole multiple of `below` leaves every number equally likely.
    const limit = 2 ** 32 - (2 ** 32 % below);
    let word = nextWord();
    while (word >= limit) word = nextWord();
    return word % below;
  };

  // Fisher–Yates from the front, so that a shorter pick is the beginning of a longer one.
  const pick = <T>(count: number, from: readonly T[]): T[] => {
    if (!Number.isInteger(count) || count < 0 || count > from.length) {
      throw new SquallError(
        `random stream "${path.join('/')}": asked to pick ${count} of ${from.length}; expected 0 to ${from.length}`,
        { code: 'bad-random-range' },
      );
    }
    const pool = [...from];
    for (let index = 0; index < count; index += 1) {
      const other = index + integer(pool.length - index);
      const chosen = pool[other] as T;
      pool[other] = pool[index] as T;
      pool[index] = chosen;
    }
    return pool.slice(0, count);
  };

  return {
    next: () => (Math.floor(nextWord() / 32) * 2 ** 26 + Math.floor(nextWord() / 64)) / 2 ** 53,
    integer,
    pick,
    shuffle: (list) => pick(list.length, list),
    bytes: (count) => Uint8Array.from({ length: count }, () => nextWord() >>> 24),
    derive: (name) => streamOf([...path, name]),
  };
}

/** Lengths go in front of the parts, so that ('a', 'bc') and ('ab', 'c') differ. */
function hashOf(path: readonly string[]): [number, number, number, number] {
  const hash = createHash('sha256').update('squall-stream-1');
  for (const part of path) hash.update(`\n${Buffer.byteLength(part)}:`).update(part);
  const digest = hash.digest();
  return [digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8), digest.readUInt32LE(12)];
}
