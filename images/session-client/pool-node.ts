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
export type NamedNode = Omit<PoolNode, 'swarmId'>;
