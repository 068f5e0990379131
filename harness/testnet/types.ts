/** Labels that everything of ours carries from its creation. */
export const LABEL = {
  project: 'squall',
  run: 'squall.run',
  bed: 'squall.bed',
  role: 'squall.role',
  node: 'squall.node',
  kind: 'squall.kind',
  /** The process that answers for it, as `formatOwner` writes it. */
  owner: 'squall.owner',
  /** Unix time in ms, for `sweep --older-than`. */
  created: 'squall.created',
} as const;

/** A node of a living bed, as everybody outside this room sees it. */
export interface StartedNode {
  readonly name: string;
  readonly role: string;
  /** 1-based within its role. */
  readonly index: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly address: string;
  readonly adminPort?: number;
  readonly containerId: string;
  /** Of the node's first process, as the engine's host counts. */
  readonly pid: number;
  /** The image as the topology names it, and what it resolved to. */
  readonly image: string;
  readonly imageId: string;
  readonly imageKind: 'ours' | 'reference';
  readonly variant?: string;
  readonly startedNs: number;
  readonly readyNs: number;
}

/** Told as a bed starts and ends; for progress lines. */
export interface BedProgress {
  /** `failed`: why the bed does not start, told before what there is of it is removed. */
  readonly stage: 'images' | 'host' | 'network' | 'agent' | 'nodes' | 'ready' | 'reset' | 'failed' | 'remove';
  readonly done: number;
  readonly total: number;
  readonly text: string;
}

/** One complete line of a node's output. `node` is ours; `line` is the node's own and hostile. */
export type LineListener = (node: string, stream: 'stdout' | 'stderr', line: string) => void;
