/**
 * xoshiro128** 1.1 of David Blackman and Sebastiano Vigna (2018, public domain, prng.di.unimi.it): 128 bits of state,
 * period 2^128 − 1, 32 bits a step, and only operations that JavaScript has exactly. An all-zero state would stay zero,
 * so it is replaced by a fixed one (a hash gives it with probability 2^-128).
 *
 * @returns a function that gives the next unsigned 32-bit number.
 */
export function xoshiro128starstar(seed: readonly [number, number, number, number]): () => number {
  let [a, b, c, d] = seed.map((word) => word >>> 0) as [number, number, number, number];
  if ((a | b | c | d) === 0) a = 0x9e3779b9;
  return () => {
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 11);
    return result;
  };
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
