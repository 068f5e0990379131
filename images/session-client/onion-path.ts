import type { PoolNode } from './pool-node.ts';

/** A chain of relays that requests go along; the first is the edge, the only one that sees our address. */
export interface OnionPath {
  readonly id: string;
  nodes: readonly PoolNode[];
  /** Wall time of the first connection to the edge, over paths and runs. */
  readonly edgeSinceMs: number;
  strikes: number;
  active: number;
  rotating: boolean;
  /** Stops hearing of the edge's connection. */
  letGo: () => void;
}

export function isOn(path: OnionPath, node: string): boolean {
  return path.nodes.some(({ ed25519 }) => ed25519 === node);
}

export function edgeOf(path: OnionPath): PoolNode {
  return path.nodes[0] as PoolNode;
}
