/** Names of the events that make a history; all of them carry `operation`, but for `message.received`. */
export const OPERATION_EVENTS = {
  invoked: 'operation.invoked',
  ok: 'operation.ok',
  failed: 'operation.failed',
  unknown: 'operation.unknown',
  received: 'message.received',
} as const;

/** An event as it stands in a record. */
export interface HistoryEvent {
  readonly node: string;
  readonly event: string;
  readonly atNs: number;
  readonly fields: Readonly<Record<string, unknown>>;
}
