import type { FaultKind } from './types.ts';

/** A node as faults see it while nothing of it runs yet. */
export interface PlannedNode {
  readonly name: string;
  readonly image: string;
  readonly imageKind: 'ours' | 'reference';
  /** Port of the admin interface on the node's loopback; only images of ours have one. */
  readonly adminPort?: number;
  /** Kinds that nothing can do to what its image holds, each with the reason; absent where only the living node can tell. */
  readonly cannot?: Readonly<Partial<Record<FaultKind, string>>>;
  /** Directories that are a file system in memory; absent where only the living node can tell. */
  readonly tmpfs?: readonly string[];
}

/** What planning a fault needs of a bed, living or not. */
export interface PlannedBed {
  nodes(): readonly PlannedNode[];
  /** Names that a selector matches, in node order; random choices drawn from `seed`. May be empty. */
  select(selector: string, seed: string): readonly string[];
}
