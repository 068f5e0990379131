import type { HistoryEvent } from './history-event.ts';
import { type Operation, type ReadHistory, type Receipt, readHistory } from './read-history.ts';

/** What became of one message for one receiver. */
export interface MessageFate {
  readonly message: string;
  /** `*` when nobody in particular was meant. */
  readonly receiver: string;
  readonly outcome: Operation['outcome'] | 'never-sent';
  readonly receivedNs: readonly number[];
}

/** A history in figures; the lists name messages, so that a finding can say which. */
export interface HistoryReport {
  readonly invoked: number;
  readonly ok: number;
  readonly failed: number;
  /** Those that never ended included. */
  readonly unknown: number;
  /** From invocation to the end of each operation that was ok, in the order of invocation. */
  readonly latenciesMs: readonly number[];
  /** Longest time in which no operation came to ok, from the first invocation to the last event. */
  readonly longestGapMs: number;
  /** Acknowledged, and never received: the one thing that must not happen. */
  readonly lost: readonly MessageFate[];
  /** Of unknown outcome and never received: nothing is wrong with that. */
  readonly missing: readonly MessageFate[];
  /** Received more than once by one receiver. */
  readonly doubled: readonly MessageFate[];
  /** Received although the operation failed for certain. */
  readonly phantom: readonly MessageFate[];
  /** Received although nobody sent it, or by somebody for whom it was not meant. */
  readonly stray: readonly MessageFate[];
  readonly problems: readonly string[];
}

/**
 * Judges nothing: counts what happened to every operation and message.
 * @param events of a whole trial, in any order
 */
export function analyseHistory(events: Iterable<HistoryEvent> | ReadHistory): HistoryReport {
  const history = isRead(events) ? events : readHistory(events);
  const { operations, receipts } = history;
  const fates = fatesOf(operations, receipts);
  const count = (outcome: Operation['outcome']): number =>
    operations.filter((operation) => operation.outcome === outcome).length;
  const received = fates.filter((fate) => fate.receivedNs.length > 0);
  const unreceived = fates.filter((fate) => fate.receivedNs.length === 0);
  return {
    invoked: operations.length,
    ok: count('ok'),
    failed: count('failed'),
    unknown: count('unknown') + count('open'),
    latenciesMs: operations
      .filter((operation) => operation.outcome === 'ok')
      .map(({ invokedNs, endedNs = invokedNs }) => (endedNs - invokedNs) / 1e6),
    longestGapMs: longestGapMs(history),
    lost: unreceived.filter((fate) => fate.outcome === 'ok'),
    missing: unreceived.filter((fate) => fate.outcome === 'unknown' || fate.outcome === 'open'),
    doubled: received.filter((fate) => fate.receivedNs.length > 1),
    phantom: received.filter((fate) => fate.outcome === 'failed'),
    stray: received.filter((fate) => fate.outcome === 'never-sent'),
    problems: history.problems,
  };
}

function isRead(events: Iterable<HistoryEvent> | ReadHistory): events is ReadHistory {
  return 'operations' in events;
}

/**
 * One fate a message and receiver. A message that several operations carried (a retry of the client's own) takes the
 * best of their outcomes: once acknowledged it must arrive, whatever the other attempts said.
 */
function fatesOf(operations: readonly Operation[], receipts: readonly Receipt[]): MessageFate[] {
  const sent = new Map<string, { outcome: Operation['outcome']; to: readonly string[] | undefined }>();
  for (const { message, outcome, to } of operations) {
    if (message === undefined) continue;
    const known = sent.get(message);
    if (!known) sent.set(message, { outcome, to });
    else if (CERTAINTY[outcome] > CERTAINTY[known.outcome]) known.outcome = outcome;
  }
  const arrivals = new Map<string, Map<string, number[]>>();
  for (const { message, by, atNs } of receipts) {
    const byReceiver = arrivals.get(message) ?? new Map<string, number[]>();
    arrivals.set(message, byReceiver);
    byReceiver.set(by, [...(byReceiver.get(by) ?? []), atNs]);
  }

  const fates: MessageFate[] = [];
  for (const [message, { outcome, to }] of sent) {
    const byReceiver = arrivals.get(message) ?? new Map<string, number[]>();
    if (to) {
      for (const receiver of to) {
        fates.push({ message, receiver, outcome, receivedNs: byReceiver.get(receiver) ?? [] });
        byReceiver.delete(receiver);
      }
    } else if (byReceiver.size === 0) fates.push({ message, receiver: '*', outcome, receivedNs: [] });
    else {
      for (const [receiver, receivedNs] of byReceiver) fates.push({ message, receiver, outcome, receivedNs });
      byReceiver.clear();
    }
  }
  // What is left was meant for nobody here.
  for (const [message, byReceiver] of arrivals) {
    if (sent.has(message) && sent.get(message)?.to === undefined) continue;
    for (const [receiver, receivedNs] of byReceiver) {
      fates.push({ message, receiver, outcome: 'never-sent', receivedNs });
    }
  }
  return fates;
}

const CERTAINTY: Readonly<Record<Operation['outcome'], number>> = { failed: 0, open: 1, unknown: 1, ok: 2 };

function longestGapMs({ operations, receipts }: ReadHistory): number {
  const first = operations[0];
  if (!first) return 0;
  const successes = operations
    .filter((operation) => operation.outcome === 'ok')
    .map((operation) => operation.endedNs ?? operation.invokedNs)
    .sort((a, b) => a - b);
  const lastNs = [
    ...operations.map(({ invokedNs, endedNs }) => endedNs ?? invokedNs),
    ...receipts.map(({ atNs }) => atNs),
  ].reduce((latest, atNs) => Math.max(latest, atNs), first.invokedNs);
  let previous = first.invokedNs;
  let longest = 0;
  for (const atNs of [...successes, lastNs]) {
    longest = Math.max(longest, atNs - previous);
    previous = atNs;
  }
  return longest / 1e6;
}
