/**
 * random: seeded streams, one a concern, so that drawing more for one concern never changes another.
 *
 *   stream(seed, 'targets').pick(3, names)      the same seed and name give the same draws, on every machine
 *
 * Not here: secrets. These numbers are repeatable by design and must never protect anything.
 */
export { type SeededStream, stream } from './stream.ts';
export { xoshiro128starstar } from './xoshiro128starstar.ts';
