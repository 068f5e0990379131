/** A storage node as the pool knows it: its keys and where it can be reached, from the list that we fetched ourselves. */
export interface PoolNode {
  /** 64 hexadecimal digits in lower case; what a node is known by. */
  readonly ed25519: string;
  /** 64 bits, never through a lossy number. */
  readonly swarmId: bigint;
  readonly ip: string;
  /** Its port. */
  readonly httpsPort: number;
}

/** The node that a 421 names: the key, and what else it claims, which the pool does not read. */
export interface NamedNode {
  readonly ed25519: string;
  readonly ip: string;
  readonly httpsPort: number;
}

/** 64 bits of ones: no swarm at all. */
export const INVALID_SWARM_ID = 2n ** 64n - 1n;

/** Two nodes of one /24 may be run by one party, and so may not share a path. */
export function subnetOf({ ip }: PoolNode): string {
  return ip.slice(0, ip.lastIndexOf('.'));
}
