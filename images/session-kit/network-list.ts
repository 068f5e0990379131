import { Fields, isRecord } from './fields.ts';
import { parseIpv4 } from './ipv4.ts';
import { INVALID_SWARM_ID } from './ring.ts';
import type { ServiceNode } from './service-node.ts';
import { WireError } from './wire-error.ts';

/** The network's list as the registry gives it to storage servers. */
export interface NetworkList {
  readonly height: number;
  readonly blockHash: string;
  readonly hardfork: readonly [number, number];
  readonly nodes: readonly ServiceNode[];
  /** Short names of the swarms, which the registry gives so that a scenario can name them. */
  readonly labels: ReadonlyMap<bigint, string>;
}

/** One of `service_node_states`. Address and keys are left out before the node's first proof that it lives. */
export function nodeState(node: ServiceNode): Readonly<Record<string, unknown>> {
  const known = node.ip !== '0.0.0.0';
  return {
    service_node_pubkey: node.legacy,
    swarm_id: node.swarmId,
    funded: true,
    active: node.swarmId !== INVALID_SWARM_ID,
    ...(known
      ? {
          public_ip: node.ip,
          storage_port: node.httpsPort,
          storage_lmq_port: node.omqPort,
          pubkey_ed25519: node.ed25519,
          pubkey_x25519: node.x25519,
          storage_server_version: node.version,
        }
      : { pubkey_ed25519: node.ed25519, pubkey_x25519: node.x25519 }),
  };
}

/** `result` of `get_service_nodes`; swarm ids are bigints, to be written by `stringifyWithBigints`. */
export function networkListJson(list: NetworkList): Readonly<Record<string, unknown>> {
  return {
    height: list.height,
    block_hash: list.blockHash,
    hardfork: list.hardfork[0],
    snode_revision: list.hardfork[1],
    status: 'OK',
    unchanged: false,
    swarm_labels: Object.fromEntries([...list.labels].map(([id, label]) => [String(id), label])),
    service_node_states: list.nodes.map(nodeState),
  };
}

/**
 * Reads `result`; swarm ids above 2^53 must have come through as text (`bigIntegers: 'text'`).
 * @returns undefined when it says that nothing changed
 * @throws WireError `wrong-shape`
 */
export function parseNetworkList(result: unknown): NetworkList | undefined {
  const fields = new Fields(result, 'result');
  if (fields.boolean('unchanged')) return undefined;
  const states = fields.require('service_node_states', fields.list('service_node_states'));
  const labels = fields.get('swarm_labels');
  return {
    height: fields.require('height', fields.integer('height')),
    blockHash: fields.require('block_hash', fields.text('block_hash')),
    hardfork: [fields.integer('hardfork') ?? 0, fields.integer('snode_revision') ?? 0],
    nodes: states.map(parseState),
    labels: new Map(
      Object.entries(isRecord(labels) ? labels : {}).map(([id, label]) => [
        requireSwarmNumber(id),
        String(label),
      ]),
    ),
  };
}

function parseState(state: unknown): ServiceNode {
  const fields = new Fields(state, 'service_node_states');
  const ip = fields.text('public_ip') ?? '0.0.0.0';
  if (!parseIpv4(ip)) throw new WireError('wrong-shape', 'public_ip: expected a dotted quad');
  const version = fields.integers('storage_server_version') ?? [0, 0, 0];
  return {
    legacy: requireKey(fields, 'service_node_pubkey'),
    ed25519: requireKey(fields, 'pubkey_ed25519'),
    x25519: requireKey(fields, 'pubkey_x25519'),
    swarmId: requireSwarmNumber(fields.get('swarm_id')),
    ip,
    httpsPort: port(fields, 'storage_port'),
    omqPort: port(fields, 'storage_lmq_port'),
    version: [version[0] ?? 0, version[1] ?? 0, version[2] ?? 0],
  };
}

function requireKey(fields: Fields, name: string): string {
  const text = fields.require(name, fields.text(name));
  if (!/^[0-9a-f]{64}$/.test(text)) throw new WireError('wrong-shape', `${name}: expected a key`);
  return text;
}

function port(fields: Fields, name: string): number {
  const value = fields.integer(name) ?? 0;
  if (value < 0 || value > 65_535) throw new WireError('wrong-shape', `${name}: expected a port`);
  return value;
}

/** A swarm id as JSON has it, a number, or its digits where a number could not hold it. */
function requireSwarmNumber(value: unknown): bigint {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text === 'string' && /^\d{1,20}$/.test(text)) {
    const id = BigInt(text);
    if (id <= INVALID_SWARM_ID) return id;
  }
  throw new WireError('wrong-shape', 'swarm_id: expected a whole number of 64 bits');
}
