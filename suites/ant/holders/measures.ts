/** What a requester did with what it was told to fetch: pure predicates over a trial's record. */
import {
  type MeasurePredicate,
  type MeasureSpec,
  type RecordedEvent,
  registerMeasure,
} from '../../../harness/index.ts';
import { NO_SILENCE } from './points.ts';

const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** What was told once the keys were wanted. */
function sinceWanted(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const wanted = events.find(({ event, node }) => event === 'keys.wanted' && node === 'harness');
  return wanted ? events.filter(({ atNs }) => atNs >= wanted.atNs) : [];
}

const named = (events: readonly RecordedEvent[], name: string): readonly RecordedEvent[] =>
  events.filter(({ event }) => event === name);

/** Seconds, by the requester's own clock, from the first key to an empty queue; null when it was never empty. */
export function drainedS(events: readonly RecordedEvent[]): number | null {
  const tookMs = number(named(events, 'queue.drained')[0]?.fields['tookMs']);
  return tookMs === undefined ? null : tookMs / 1_000;
}

export const holderMeasures: MeasurePredicate = (_trial, events) => {
  const own = sinceWanted(events);
  const ends = (outcome: string): number =>
    named(own, 'fetch.finished').filter(({ fields }) => fields['outcome'] === outcome).length;
  const drops = named(own, 'admission.dropped');
  const timeoutsMs = named(own, 'fetch.finished').flatMap(({ fields }) =>
    fields['outcome'] === 'timeout' ? (number(fields['tookMs']) ?? []) : [],
  );
  const summary = named(own, 'dispatch.summary').at(-1)?.fields ?? {};
  const penalties = named(own, 'trust.changed').filter(
    ({ fields }) => (number(fields['delta']) ?? 0) < 0,
  ).length;
  return {
    drainedS: drainedS(own),
    stored: named(own, 'chunk.stored').length,
    mostInFlight: number(summary['in_flight_per_source_max']) ?? null,
    startedPastMark: number(summary['started_past_mark']) ?? null,
    timeouts: ends('timeout'),
    timeoutTookS: timeoutsMs.length === 0 ? null : Math.max(...timeoutsMs) / 1_000,
    busyEnds: ends('busy'),
    drops: drops.length,
    dropsPastSilence: drops.filter(({ fields }) => fields['pastSilence'] === true).length,
    busyAnswers: named(own, 'admission.answered').length,
    dropsUnpaid: Math.abs(drops.length - ends('timeout')) + Math.abs(drops.length - penalties),
    trustPenalties: penalties,
  };
};

/**
 * Timeouts that a queue of N keys which only a silent holder has takes to drain with C slots, by the document: ceil(N / C)
 * before the change, 1 + ceil((N − 2) / C) with it. With a limit of two that knows no silence, or one slot, by the same
 * reckoning: ceil(N / min(2, C)).
 */
export function formulaTimeouts(variant: string, keys: number, slots: number): number {
  if (variant === NO_SILENCE) return Math.ceil(keys / Math.min(2, slots));
  const isLimited = variant.startsWith('share') && keys > 2 && slots > 1;
  return isLimited ? 1 + Math.ceil((keys - 2) / slots) : Math.ceil(keys / slots);
}

/** A silent holder: how long the queue takes, beside the formula. */
export const silenceMeasures: MeasurePredicate = ({ point }, events) => {
  const tookS = drainedS(sinceWanted(events));
  const timeoutS = Number(point['timeout']) / 1_000;
  const formula = formulaTimeouts(String(point['variant']), Number(point['keys']), Number(point['slots']));
  return {
    formulaS: formula * timeoutS,
    timeoutsTaken: tookS === null ? null : Math.floor(tookS / timeoutS),
    pastFormulaTimeouts: tookS === null ? null : Math.floor(tookS / timeoutS) - formula,
  };
};

registerMeasure('ant.holder', holderMeasures);
registerMeasure('ant.silence', silenceMeasures);

export const holderMeasureSpecs: readonly MeasureSpec[] = [
  { name: 'drainedS', title: 'Until nothing was left to fetch', unit: 's' },
  { name: 'stored', title: 'Chunks stored', unit: 'chunks' },
  { name: 'mostInFlight', title: 'Most fetches in flight to one holder', unit: 'fetches' },
  { name: 'timeouts', title: 'Fetches that timed out', unit: 'fetches' },
  { name: 'timeoutTookS', title: 'Longest of these', unit: 's' },
  { name: 'drops', title: 'Requests dropped by the holder', unit: 'requests' },
  { name: 'busyAnswers', title: 'Requests answered busy', unit: 'requests' },
  { name: 'trustPenalties', title: 'Trust penalties against it', unit: 'events' },
  { name: 'startedPastMark', title: 'Fetches past the share, by silence', unit: 'fetches' },
];

export const silenceMeasureSpecs: readonly MeasureSpec[] = [
  { name: 'formulaS', title: 'By the formula', unit: 's' },
  { name: 'timeoutsTaken', title: 'Timeouts that it took', unit: 'timeouts' },
  { name: 'pastFormulaTimeouts', title: 'Timeouts more than by the formula', unit: 'timeouts' },
];
