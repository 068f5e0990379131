import { createCipheriv, createHash } from 'node:crypto';
import { type ChunkKey, idOf, keyOf } from './chunk-key.ts';
import { CloseGroups } from './close-groups.ts';

export interface ChunkSetFacts {
  readonly seed: string;
  readonly count: number;
  readonly chunkBytes: number;
  /** Sizes are spread evenly by so much below and above. */
  readonly sizeRatio: number;
  /** Nodes that the set is laid on. */
  readonly incumbents: readonly string[];
  readonly closeGroupSize: number;
  readonly paidListGroupSize: number;
}

/** A chunk of the set, and who has it before anything starts. */
export interface LaidChunk {
  readonly key: ChunkKey;
  readonly bytes: Uint8Array;
  /** Its close group, the nearest first. */
  readonly holders: readonly string[];
  /** Those that know it as paid for, its close group included. */
  readonly paid: readonly string[];
}

/** The content of chunk `index`: the same for everybody who knows the seed. */
export function chunkContent(
  { seed, chunkBytes, sizeRatio }: Pick<ChunkSetFacts, 'seed' | 'chunkBytes' | 'sizeRatio'>,
  index: number,
): Uint8Array {
  const hash = createHash('sha256').update(`fetch-node chunk ${seed.length}:${seed} ${index}`).digest();
  const share = hash.readUInt32BE(28) / 2 ** 32;
  const sizeBytes = Math.max(1, Math.round(chunkBytes * (1 + sizeRatio * (2 * share - 1))));
  const cipher = createCipheriv('aes-128-ctr', hash.subarray(0, 16), Buffer.alloc(16));
  return cipher.update(Buffer.alloc(sizeBytes));
}

/** The whole set, one chunk after the other. */
export function* layChunks(facts: ChunkSetFacts): Generator<LaidChunk> {
  const groups = new CloseGroups(facts.incumbents.map((name) => ({ name, id: idOf(name) })));
  for (let index = 0; index < facts.count; index += 1) {
    const bytes = chunkContent(facts, index);
    const key = keyOf(bytes);
    const paid = groups.nearest(key, Math.max(facts.closeGroupSize, facts.paidListGroupSize));
    yield { key, bytes, holders: paid.slice(0, facts.closeGroupSize), paid };
  }
}
