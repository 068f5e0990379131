import type { Clock } from '../../../harness/clock/index.ts';
import { readSettings } from '../../node-kit/settings.ts';
import { nodeIdentity } from '../../session-kit/index.ts';
import image from '../image.json' with { type: 'json' };
import { StorageNode } from '../storage-node.ts';
import { type StorageRules, storageRules } from '../storage-rules.ts';

/** Who it is. */
export const identity = nodeIdentity('7', 'storage-1');

/** A node that is the whole network, without a socket: it is asked by `answer`. @param rules what is not as shipped */
export function singleNode(
  clock: Clock,
  rules: Partial<StorageRules> = {},
  options: { readonly list?: false } = {},
): StorageNode {
  const { ed25519, x25519, legacy } = identity;
  const shipped = storageRules(readSettings(image, { SQUALL_REGISTRY: 'r@127.0.0.1' }).settings);
  const node = new StorageNode({
    clock,
    seed: '7',
    name: 'storage-1',
    host: '127.0.0.1',
    port: 0,
    registry: { ip: '127.0.0.1', httpsPort: 1, ed25519 },
    rules: { ...shipped, rateBucket: 1e9, ...rules },
    emit: () => undefined,
    log: () => undefined,
  });
  if (options.list === false) return node;
  node.view.apply({
    height: 1,
    blockHash: 'a',
    hardfork: [19, 4],
    labels: new Map(),
    nodes: [
      {
        ed25519,
        x25519,
        legacy,
        swarmId: 1n,
        ip: '127.0.0.1',
        httpsPort: 1,
        omqPort: 1,
        version: [2, 12, 0],
      },
    ],
  });
  return node;
}
