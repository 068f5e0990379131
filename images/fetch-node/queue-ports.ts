import type { ChunkKey } from './chunk-key.ts';

export interface QueueLimits {
  /** Keys that are queued or parked. */
  readonly capacity: number;
  /** Fetches in flight to a source that answers. */
  readonly perSource: number;
  /** Sources that a verification round may name: close group, paid-list group and hint sources. */
  readonly closeGroupSize: number;
  readonly paidListGroupSize: number;
  readonly hintsPerKey: number;
}

/** Where keys come from and go back to. */
export interface QueueReturns {
  /** It could not be fetched; with `reserved` there is room for it. */
  takeBack(key: ChunkKey, hints: readonly string[], reserved: boolean): void;
  /** The place that was kept for it is not needed any more. */
  release(key: ChunkKey): void;
}

export interface QueuePorts {
  readonly ownId: ChunkKey;
  nowMs(): number;
  /** Real time, for what computing takes. */
  stopwatchMs(): number;
  readonly returns: QueueReturns;
}

/** `failed`: somewhere else it may succeed; `abandoned`: nowhere, for now. */
export type Ending = 'stored' | 'failed' | 'abandoned';
