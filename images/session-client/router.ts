import type { PoolNode } from './pool-node.ts';
import type { ClientRequest, OnAnswer } from './request.ts';

/** A way to a storage node: straight, over a path of relays, through a proxy or a tunnel. */
export interface Router {
  /** Answers exactly once. */
  send(request: ClientRequest, onAnswer: OnAnswer): void;
  /** Nodes that it uses now, which must not be used for something else at the same time. */
  usedNodes(): readonly PoolNode[];
  suspend(): void;
  resume(): void;
  closeConnections(): void;
  state(): Readonly<Record<string, unknown>>;
}
