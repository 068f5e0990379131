import { type HistoryEvent, OPERATION_EVENTS } from './history-event.ts';

export interface Operation {
  readonly operation: string;
  readonly node: string;
  readonly process: string;
  readonly kind: string;
  readonly message?: string;
  readonly to?: readonly string[];
  readonly invokedNs: number;
  /** Absent while it has not ended. */
  readonly endedNs?: number;
  /** `open`: it never ended, so it may have happened. */
  readonly outcome: 'ok' | 'failed' | 'unknown' | 'open';
  readonly reason?: string;
  /** What the events said besides, of the invocation and of the end. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** One arrival of a message. */
export interface Receipt {
  readonly message: string;
  readonly by: string;
  readonly node: string;
  readonly atNs: number;
}

export interface ReadHistory {
  /** In the order of invocation. */
  readonly operations: readonly Operation[];
  readonly receipts: readonly Receipt[];
  /** Sentences about events that do not fit: an end without a beginning, a second end, missing fields. */
  readonly problems: readonly string[];
}

const ENDS: Readonly<Record<string, 'ok' | 'failed' | 'unknown'>> = {
  [OPERATION_EVENTS.ok]: 'ok',
  [OPERATION_EVENTS.failed]: 'failed',
  [OPERATION_EVENTS.unknown]: 'unknown',
};

/** Events in any order → operations and receipts. Other events are passed over. Never throws: the events are not ours. */
export function readHistory(events: Iterable<HistoryEvent>): ReadHistory {
  const operations = new Map<string, Operation>();
  const ends: { readonly event: HistoryEvent; readonly outcome: 'ok' | 'failed' | 'unknown' }[] = [];
  const receipts: Receipt[] = [];
  const problems: string[] = [];

  for (const event of events) {
    const outcome = ENDS[event.event];
    if (outcome) ends.push({ event, outcome });
    else if (event.event === OPERATION_EVENTS.received) {
      const { message, by } = event.fields;
      if (typeof message === 'string' && typeof by === 'string') {
        receipts.push({ message, by, node: event.node, atNs: event.atNs });
      } else problems.push(`${event.node}: ${event.event} without message and by`);
    } else if (event.event === OPERATION_EVENTS.invoked) {
      const begun = operationOf(event);
      if (!begun) problems.push(`${event.node}: ${event.event} without operation, process and kind`);
      else if (operations.has(begun.operation)) problems.push(`operation ${begun.operation}: invoked twice`);
      else operations.set(begun.operation, begun);
    }
  }
  ends.sort((a, b) => a.event.atNs - b.event.atNs);
  for (const { event, outcome } of ends) {
    const id = String(event.fields['operation']);
    const begun = operations.get(id);
    if (!begun) problems.push(`operation ${id}: ${outcome} without an invocation`);
    else if (begun.outcome !== 'open') problems.push(`operation ${id}: ${outcome} after ${begun.outcome}`);
    else {
      const { reason, operation: _, ...more } = event.fields;
      operations.set(id, {
        ...begun,
        outcome,
        endedNs: event.atNs,
        facts: { ...begun.facts, ...more },
        ...(typeof reason === 'string' ? { reason } : {}),
      });
    }
  }
  return {
    operations: [...operations.values()].sort((a, b) => a.invokedNs - b.invokedNs),
    receipts: receipts.sort((a, b) => a.atNs - b.atNs),
    problems,
  };
}

function operationOf(event: HistoryEvent): Operation | undefined {
  const { operation, process, kind, message, to, ...facts } = event.fields;
  if (typeof operation !== 'string' || typeof process !== 'string' || typeof kind !== 'string')
    return undefined;
  return {
    operation,
    node: event.node,
    process,
    kind,
    invokedNs: event.atNs,
    outcome: 'open',
    facts,
    ...(typeof message === 'string' ? { message } : {}),
    ...(Array.isArray(to) ? { to: to.map(String) } : {}),
  };
}
