import type { EngineAddress } from '../engine/index.ts';
import type { ResolvedTopology } from '../topology/index.ts';
import type { BedLegacy } from './adopt-bed.ts';
import type { KeeperCard } from './keeper-files.ts';
import type { WireError } from './keeper-protocol.ts';
import type { BedProgress } from './types.ts';

/** First line on a keeper's standard input: what to keep. Its end before `up` means that nobody wants it any more. */
export interface KeeperOrder extends EngineAddress {
  readonly runId: string;
  readonly bedId: string;
  readonly seed: string;
  readonly topology: ResolvedTopology;
  /** A compose project that runs already, whose containers become the bed's nodes; the topology is then its name alone. */
  readonly project?: string;
  /** A bed that lives already and changes its owner; absent: start one. */
  readonly legacy?: BedLegacy;
}

/** Lines on its standard output until it stands. */
export type KeeperReport =
  | { readonly progress: BedProgress }
  | { readonly up: KeeperCard & { readonly nodes: number; readonly startMs: number } }
  | { readonly failed: WireError };
