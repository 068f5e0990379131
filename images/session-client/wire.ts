import type { PoolNode } from './pool-node.ts';

/** Why a connection ended; what an orderly close gives is 0, as with the library: our own, or the node's. */
export const CLOSE_CODE = { ORDERLY: 0, REFUSED: 1, LOST: 2, WRONG_KEY: 3, HANDSHAKE_TIMEOUT: 4 } as const;

/** What is sent: a storage request in the clear of its TLS connection, or an onion's outermost layer. */
export type Call =
  | { readonly kind: 'rpc'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'onion'; readonly blob: Uint8Array };

export interface WireAnswer {
  readonly status: number;
  /** As the node wrote it: `application/json`, `text/plain`, … */
  readonly type: string;
  readonly body: Uint8Array;
}

export interface WireListener {
  /** Something came from the node, whose key it is that answers. */
  opened(): void;
  /** Once, also for a connection that never opened; synchronously when it is we who close. */
  closed(code: number, reason: string): void;
}

export interface WireConnection {
  /** Connects, and hears from the node; the listener is told. */
  verify(): void;
  /** Connects where it must. Without an answer within the time nothing is called; what ends the connection is told. */
  call(call: Call, timeoutMs: number, onAnswer: (answer: WireAnswer) => void): void;
  close(): void;
}

/** Ways to storage nodes; making one sends nothing yet. */
export interface Wire {
  connect(node: PoolNode, listener: WireListener): WireConnection;
}
