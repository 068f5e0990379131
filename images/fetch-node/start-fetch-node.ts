import type { Settings } from '../node-kit/index.ts';
import type { ChunkSetFacts } from './chunk-set.ts';
import { ChunkStore, clearOtherLives, diskFiles, memoryFiles } from './chunk-store.ts';
import { FetchNode, type NodeSurroundings } from './fetch-node.ts';
import { layOwnChunks } from './lay-chunks.ts';
import { readPeers } from './peer-book.ts';
import { tcpTransport, tlsTransport } from './transport.ts';

/** What of its settings describes the chunk set; {@link NodeSurroundings} has no seed of its own. */
export function chunkSetOf(settings: Settings, seed: string): ChunkSetFacts {
  return {
    seed: settings.text('chunkSeed') || seed,
    count: settings.number('chunkCount'),
    chunkBytes: settings.number('chunkBytes'),
    sizeRatio: settings.number('chunkSizeRatio'),
    incumbents: settings.list('incumbents'),
    closeGroupSize: settings.number('closeGroupSize'),
    paidListGroupSize: settings.number('paidListGroupSize'),
  };
}

/** A node with its chunks laid and its port open; a joiner has not asked anybody yet. */
export async function startFetchNode(
  around: NodeSurroundings & { readonly seed: string },
): Promise<FetchNode> {
  const { name, seed, settings, clock, emit } = around;
  const path = settings.text('storePath');
  if (path !== '') await clearOtherLives(path, settings.text('label'));
  // The set was there before the faults: it is laid on a disk that is neither full nor slow.
  const store = await ChunkStore.open(path === '' ? memoryFiles() : diskFiles(path), clock);
  const paid = new Set(await layOwnChunks(name, chunkSetOf(settings, seed), store));
  emit('chunks.laid', { chunks: store.count, bytes: store.sizeBytes, paid: paid.size });
  store.diskBytes = settings.number('diskBytes');
  store.writeMs = settings.number('writeMs');
  const transport = settings.text('transport') === 'tcp' ? tcpTransport : tlsTransport(seed, name);
  const node = new FetchNode(around, { store, paid, peers: readPeers(settings, name), transport });
  await node.start();
  return node;
}
