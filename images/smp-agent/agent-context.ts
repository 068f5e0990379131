import type { Clock } from '../../harness/clock/index.ts';
import type { AgentStore } from './agent-store.ts';
import type { ConnectionRecord } from './connection-record.ts';
import type { MessageHistory } from './message-history.ts';
import type { RequestMode, RequestWaits } from './request-mode.ts';
import type { RetryInterval } from './retry-interval.ts';
import type { ServerBook } from './server-book.ts';
import type { ServerClients } from './server-clients.ts';
import type { SendRequest, Server } from './wire.ts';

/** Intervals and limits of the agent, in milliseconds and counts. */
export interface AgentRules {
  readonly waits: RequestWaits;
  readonly persistErrorIntervalMs: number;
  readonly reconnect: RetryInterval;
  readonly messageRetry: RetryInterval;
  readonly quotaRetry: RetryInterval;
  readonly messageExpiryMs: number;
  readonly proxyMode: 'always' | 'unknown' | 'never';
  /** What a user does who taps Retry after each error of a join. */
  readonly retries: number;
  readonly retryOnErrorMs: number;
}

/** What the parts of one life of the agent work with. */
export interface AgentContext {
  readonly name: string;
  readonly clock: Clock;
  readonly rules: AgentRules;
  readonly store: AgentStore;
  readonly book: ServerBook;
  readonly clients: ServerClients;
  readonly history: MessageHistory;
  /** Aborted when this life ends; nothing may be done or told after that. */
  readonly signal: AbortSignal;
  emit(event: string, fields: Readonly<Record<string, unknown>>): void;
  log(text: string): void;
  /** SEND, through a proxy or directly, as the rules have it. @throws AgentError */
  send(destination: Server, request: SendRequest, mode: RequestMode): Promise<void>;
}

/** The connection of that id. */
export function findConnection(context: AgentContext, id: string): ConnectionRecord | undefined {
  return context.store.record.connections.find((connection) => connection.id === id);
}

/**
 * Runs a background task of this life. It ends quietly with the life; any other error is a fault of the program and ends
 * the node.
 */
export function inBackground(context: AgentContext, task: () => Promise<void>): void {
  task().catch((error: unknown) => {
    if (context.signal.aborted) return;
    queueMicrotask(() => {
      throw error;
    });
  });
}
