/**
 * fetch-node: what others need to know of the replication network of our fetch nodes.
 *
 *   layChunks(facts) ─▶ every chunk of a set: its key, its content, who holds it and who knows it as paid for
 *   keyOf, idOf      ─▶ keys of contents, places of nodes; CloseGroups says who is near to a key
 *
 *   RULES            ─▶ the switches, each with its words and its mutant in rules.json
 *
 * The same seed and names give the same set, so that a scenario knows what has to be where. Not here: the node itself.
 */
export { type ChunkKey, compareDistance, distanceBetween, idOf, keyOf } from './chunk-key.ts';
export { type ChunkSetFacts, chunkContent, type LaidChunk, layChunks } from './chunk-set.ts';
export { CloseGroups, type Place } from './close-groups.ts';
export { RULES, type RuleName } from './fetch-rules.ts';
