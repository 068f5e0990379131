import type { Clock } from '../../harness/clock/index.ts';
import type { SeededStream } from '../../harness/random/index.ts';
import type { ClientRules } from './client-rules.ts';
import type { EdgeStore } from './edge-nodes.ts';
import type { PoolNode } from './pool-node.ts';
import type { RefreshWaiter } from './pool-refresher.ts';
import type { SnodePool } from './snode-pool.ts';
import type { Tell } from './tell.ts';
import type { Transport } from './transport.ts';
import type { WireAnswer } from './wire.ts';

/** What is inside an answer, when it is the destination's: what does not open may be anybody's on the way. */
export type Opened =
  | { readonly authentic: true; readonly status: number; readonly body: unknown }
  | { readonly authentic: false; readonly reason: string };

/** A request in its layers, and the only one who can read the answer to it. */
export interface SealedRequest {
  readonly blob: Uint8Array;
  readonly open: (answer: WireAnswer) => Opened;
}

/** Wraps a request for `to` in a layer for each relay. */
export type Seal = (
  relays: readonly PoolNode[],
  to: PoolNode,
  method: string,
  params: unknown,
) => SealedRequest;

export interface PathLimits {
  readonly pathLength: number;
  readonly pathCount: number;
  readonly pathStrikeThreshold: number;
  readonly pathBuildRetries: number;
  readonly pathRotationMs: number;
  readonly edgeDurationMs: number;
  readonly retryDelayMs: number;
  readonly retryDelayMaxMs: number;
  readonly infoTimeoutMs: number;
}

export interface RouterPorts {
  readonly rules: ClientRules;
  readonly pool: SnodePool;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly chance: SeededStream;
  readonly tell: Tell;
  readonly seal: Seal;
  /** An answer's body by its type. @throws SquallError for JSON that is refused */
  readonly readBody: (answer: WireAnswer) => unknown;
  readonly edges: EdgeStore;
  readonly limits: PathLimits;
}

/**
 * A router is ready once the pool has nodes, or could not get any: one that is not would be unusable for good, and one that
 * is asks again with every request.
 */
export function whenPoolIsReady({ pool, rules }: RouterPorts, onReady: () => void): void {
  const onEnd: RefreshWaiter = (refreshed) => {
    if (refreshed || rules.setupEndsOnFailure) onReady();
  };
  if (pool.size === 0) pool.refreshIfNeeded([], onEnd);
  else onReady();
}

/** What a mutant that never stops asking is stopped at. */
export const REENTRIES_MAX = 20;
