import { base32z } from './base32z.ts';
import { isRecord } from './fields.ts';
import { formatSwarmId, INVALID_SWARM_ID, parseSwarmId } from './ring.ts';
import type { ServiceNode } from './service-node.ts';
import type { Swarm } from './swarm-map.ts';

/** A node as `get_swarm` and 421 bodies have it. */
export function snodeJson(node: ServiceNode): Readonly<Record<string, unknown>> {
  return {
    address: `${base32z(Buffer.from(node.legacy, 'hex'))}.snode`,
    pubkey_legacy: node.legacy,
    pubkey_x25519: node.x25519,
    pubkey_ed25519: node.ed25519,
    port: String(node.httpsPort),
    port_https: node.httpsPort,
    port_omq: node.omqPort,
    port_quic: node.omqPort,
    ip: node.ip,
  };
}

export interface AnswerFacts {
  /** The node's own time. */
  readonly wallMs: number;
  readonly hardfork: readonly [number, number];
}

/** Body of `get_swarm`, and of a 421. @param echo the account that was asked for, which servers from 2.12 on repeat */
export function swarmJson(
  swarm: Swarm<ServiceNode> | undefined,
  facts: AnswerFacts,
  echo?: string,
): Readonly<Record<string, unknown>> {
  return {
    ...(echo === undefined ? {} : { pubkey: echo }),
    snodes: (swarm?.nodes ?? []).map(snodeJson),
    swarm: formatSwarmId(swarm?.id ?? INVALID_SWARM_ID),
    t: facts.wallMs,
    hf: facts.hardfork,
  };
}

/** What a 421 says, or claims. */
export interface Redirect {
  /**
   * Ed25519 keys in the order named, each once, lower case: all that may be believed. Entries without a key are left out.
   */
  readonly nodes: readonly string[];
  /** The account that it claims to be about, as it was written; undefined where there is none. */
  readonly echo: string | undefined;
  readonly swarmId: bigint | undefined;
}

const NAMED_MAX = 1_000;

/**
 * Reads the body of a 421 of whatever shape; one that names nothing usable has no nodes.
 * @param body JSON that came from somewhere else, or its text
 */
export function readRedirect(body: unknown): Redirect {
  if (!isRecord(body)) return { nodes: [], echo: undefined, swarmId: undefined };
  const named = Array.isArray(body['snodes']) ? body['snodes'].slice(0, NAMED_MAX) : [];
  const keys = named.flatMap((item) => {
    const key = isRecord(item) ? item['pubkey_ed25519'] : undefined;
    return typeof key === 'string' && /^[0-9a-fA-F]{64}$/.test(key) ? [key.toLowerCase()] : [];
  });
  const echo = body['pubkey'];
  return {
    nodes: [...new Set(keys)],
    echo: typeof echo === 'string' ? echo : undefined,
    swarmId: parseSwarmId(body['swarm']),
  };
}

/** The same node's key, and its address and ports as the body has them: what no client should believe. */
export function readRedirectAddresses(
  body: unknown,
): readonly { readonly ed25519: string; readonly ip: string; readonly httpsPort: number }[] {
  if (!isRecord(body) || !Array.isArray(body['snodes'])) return [];
  return body['snodes'].slice(0, NAMED_MAX).flatMap((item) => {
    if (!isRecord(item)) return [];
    const { pubkey_ed25519: key, ip, port_https: port } = item;
    if (typeof key !== 'string' || !/^[0-9a-fA-F]{64}$/.test(key)) return [];
    if (typeof ip !== 'string' || !Number.isInteger(port)) return [];
    return [{ ed25519: key.toLowerCase(), ip, httpsPort: port as number }];
  });
}
