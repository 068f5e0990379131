import type { ChunkKey } from './chunk-key.ts';
import { type ChunkSetFacts, layChunks } from './chunk-set.ts';
import type { ChunkStore } from './chunk-store.ts';

const PER_TURN = 16;

/** Puts this node's part of the set into its store, and says what it knows as paid for. */
export async function layOwnChunks(
  name: string,
  facts: ChunkSetFacts,
  store: ChunkStore,
): Promise<ReadonlySet<ChunkKey>> {
  const paid = new Set<ChunkKey>(store.keys());
  let turn = 0;
  for (const chunk of layChunks(facts)) {
    if (chunk.paid.includes(name)) paid.add(chunk.key);
    if (chunk.holders.includes(name)) await store.put(chunk.key, chunk.bytes);
    turn += 1;
    // Hashing a large set takes seconds, in which the admin port has to be answered.
    if (turn % PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return paid;
}
