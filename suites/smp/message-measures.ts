/** Messages: what was sent, what came, how late, and what was lost or came twice. */

import type { MeasurePredicate, RecordedEvent } from '../../harness/index.ts';
import { requiredField } from '../../harness/index.ts';
import { analyseHistory, readHistory } from '../../harness/workload/index.ts';
import { liftedNs, registerTrialMeasure, seconds, type Trial } from './events.ts';

/** A proxy gives the error of a failed connection to a relay for so long. */
const CACHED_ERROR_S = 30;

interface Delay {
  readonly invokedNs: number;
  /** From the first attempt to send a message to its first arrival, unwarped seconds; null: it has not arrived. */
  readonly delayS: number | null;
}

function delaysOf(trial: Trial, events: readonly RecordedEvent[]): Delay[] {
  const history = readHistory(events);
  const arrivals = new Map<string, number>();
  for (const { message, atNs } of history.receipts) if (!arrivals.has(message)) arrivals.set(message, atNs);
  const invoked = new Map<string, number>();
  for (const { message, invokedNs } of history.operations)
    if (message !== undefined && !invoked.has(message)) invoked.set(message, invokedNs);
  return [...invoked].map(([message, invokedNs]) => {
    const atNs = arrivals.get(message);
    return { invokedNs, delayS: atNs === undefined ? null : seconds(atNs - invokedNs, trial) };
  });
}

/** The value below which a share of the values lies (nearest rank); null without values, or where it is not known. */
export function quantile(values: readonly (number | null)[], share: number): number | null {
  if (values.length === 0) return null;
  const sorted = values.map((value) => value ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.POSITIVE_INFINITY;
  return Number.isFinite(value) ? value : null;
}

export const messageMeasures: MeasurePredicate = (trial, events) => {
  const report = analyseHistory(events);
  const messages = delaysOf(trial, events);
  const delays = messages.map(({ delayS }) => delayS);
  const sent = delays.length;
  const arrived = delays.filter((delay) => delay !== null).length;
  return {
    sent,
    delivered: arrived,
    undelivered: sent - arrived,
    lost: report.lost.length,
    doubled: report.doubled.length,
    stray: report.stray.length + report.phantom.length,
    historyProblems: report.problems.length,
    delayMedianS: quantile(delays, 0.5),
    delayP99S: quantile(delays, 0.99),
    delayMaxS: quantile(delays, 1),
    // Of one that has not arrived: how long it has been on its way when the trial ends.
    slowestS: quantile(
      messages.map(({ delayS, invokedNs }) => delayS ?? seconds(trial.endNs - invokedNs, trial)),
      1,
    ),
  };
};

/** What a cut kept waiting, and when the first of it arrived. */
interface Healing {
  readonly healedNs: number;
  /** The first arrival after the cuts of a message sent before their end. */
  readonly arrivedNs?: number;
  /** Sent before their end, and not arrived by then. */
  readonly waited: number;
}

function healingOf(trial: Trial, events: readonly RecordedEvent[]): Healing | undefined {
  const healedNs = liftedNs(trial, 'cut');
  if (healedNs === undefined) return undefined;
  const waiting = new Set(
    readHistory(events.filter(({ atNs }) => atNs <= healedNs)).operations.flatMap(({ message }) =>
      message === undefined ? [] : [message],
    ),
  );
  const { receipts } = readHistory(events);
  const arrival = receipts.find(({ message, atNs }) => atNs >= healedNs && waiting.has(message));
  const early = new Set(receipts.filter(({ atNs }) => atNs < healedNs).map(({ message }) => message));
  return {
    healedNs,
    ...(arrival && { arrivedNs: arrival.atNs }),
    waited: [...waiting].filter((message) => !early.has(message)).length,
  };
}

/**
 * From the end of the cuts to the first message that arrives afterwards, of those sent before it; `waited` counts those sent before
 * it that had not arrived by then.
 */
export const healingMeasures: MeasurePredicate = (trial, events) => {
  const healing = healingOf(trial, events);
  if (!healing) return { recoveredS: null, waited: null };
  const { healedNs, arrivedNs, waited } = healing;
  return { recoveredS: arrivedNs === undefined ? null : seconds(arrivedNs - healedNs, trial), waited };
};

/** The pause before the forward that succeeded after the cuts, and what recovery took beyond it and a cached error. */
export const retryGapMeasures: MeasurePredicate = (trial, events) => {
  const { healedNs = 0, arrivedNs } = healingOf(trial, events) ?? {};
  if (arrivedNs === undefined) return { retryGapS: null, recoveryExcessS: null };
  const recoveredS = seconds(arrivedNs - healedNs, trial);
  // A trial that ends with the arrival may end before the agent hears of it.
  const succeededNs =
    events.find(({ event, atNs }) => event === 'forward.succeeded' && atNs >= healedNs)?.atNs ?? arrivedNs;
  const before = events.findLast(({ event, atNs }) => event === 'forward.failed' && atNs <= succeededNs);
  if (!before) return { retryGapS: null, recoveryExcessS: recoveredS - CACHED_ERROR_S };
  const retryGapS = seconds(succeededNs - before.atNs, trial);
  return { retryGapS, recoveryExcessS: recoveredS - CACHED_ERROR_S - retryGapS };
};

/** Forward slots of the proxies, as their `/state` showed them while the load ran. */
export const slotMeasures: MeasurePredicate = (_trial, events) => {
  const seen = events.filter(({ event }) => event === 'slots.read');
  return {
    slotsReadings: seen.length,
    slotsInUseMax:
      seen.length === 0 ? null : Math.max(...seen.map((event) => requiredField(event, 'inUse', 'number'))),
  };
};

registerTrialMeasure('smp.messages', messageMeasures);
registerTrialMeasure('smp.healing', healingMeasures);
registerTrialMeasure('smp.retry-gap', retryGapMeasures);
registerTrialMeasure('smp.slots', slotMeasures);
