import type { Settings } from '../node-kit/index.ts';
import { type ChunkKey, idOf } from './chunk-key.ts';

/** A node of the run. */
export interface Peer {
  readonly name: string;
  readonly id: ChunkKey;
  readonly host: string;
  readonly port: number;
}

/** Everybody but this node, by name. @throws Error for a text that is no peer */
export function readPeers(settings: Settings, ownName: string): ReadonlyMap<string, Peer> {
  const peers = new Map<string, Peer>();
  for (const text of settings.list('peers')) {
    const [, name, host, port] = /^([^@\s]+)@([\d.]+)(?::(\d+))?$/.exec(text) ?? [];
    if (name === undefined || host === undefined)
      throw new Error(
        `SQUALL_PEERS: ${JSON.stringify(text)} found; expected name@address or name@address:port`,
      );
    if (name === ownName) continue;
    const own = port === undefined ? settings.number('port') : Number(port);
    peers.set(name, { name, id: idOf(name), host, port: own });
  }
  return peers;
}
