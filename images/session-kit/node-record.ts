import { parseIpv4 } from './ipv4.ts';
import type { ServiceNode } from './service-node.ts';
import { SIZE } from './sizes.ts';
import { WireError } from './wire-error.ts';

/** What a record of the list for clients has; the other keys of a node are not in it. */
export type NodeRecord = Pick<
  ServiceNode,
  'ed25519' | 'swarmId' | 'ip' | 'httpsPort' | 'omqPort' | 'version'
>;

/**
 * `active_nodes_bin`: 51 bytes a node, big-endian: 32 Ed25519 key, 8 swarm id, 4 address, 2 HTTPS port, 2 OMQ and QUIC port,
 * 3 version. @throws RangeError for a node whose fields do not fit
 */
export function encodeNodeRecords(nodes: readonly NodeRecord[]): Buffer {
  const bytes = Buffer.alloc(nodes.length * SIZE.nodeRecordBytes);
  nodes.forEach((node, index) => {
    const at = index * SIZE.nodeRecordBytes;
    bytes.write(node.ed25519, at, 32, 'hex');
    bytes.writeBigUInt64BE(node.swarmId, at + 32);
    parseIpv4(node.ip)?.copy(bytes, at + 40);
    bytes.writeUInt16BE(node.httpsPort, at + 44);
    bytes.writeUInt16BE(node.omqPort, at + 46);
    bytes.set(node.version, at + 48);
  });
  return bytes;
}

/**
 * Reads a list that somebody gave.
 * @throws WireError bad-node-record when its length is not a whole number of records or a key comes twice
 */
export function parseNodeRecords(bytes: Uint8Array): NodeRecord[] {
  if (bytes.length % SIZE.nodeRecordBytes !== 0) {
    throw new WireError(
      'bad-node-record',
      `node list: ${bytes.length} bytes found; expected a multiple of ${SIZE.nodeRecordBytes}`,
    );
  }
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const seen = new Set<string>();
  return Array.from({ length: view.length / SIZE.nodeRecordBytes }, (_, index) => {
    const at = index * SIZE.nodeRecordBytes;
    const ed25519 = view.toString('hex', at, at + 32);
    if (seen.has(ed25519))
      throw new WireError('bad-node-record', `node list: ${ed25519} found twice; expected each node once`);
    seen.add(ed25519);
    return {
      ed25519,
      swarmId: view.readBigUInt64BE(at + 32),
      ip: view.subarray(at + 40, at + 44).join('.'),
      httpsPort: view.readUInt16BE(at + 44),
      omqPort: view.readUInt16BE(at + 46),
      version: [view[at + 48] ?? 0, view[at + 49] ?? 0, view[at + 50] ?? 0],
    };
  });
}
