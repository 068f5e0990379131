/**
 * What agents and servers say (images/smp-agent/README.md, images/smp-server/README.md), read in one place.
 * Everything here is pure over a trial's record.
 */
import {
  type MeasurePredicate,
  type RecordedEvent,
  registerMeasure,
  requiredField,
  type TrialRecord,
} from '../../harness/index.ts';

export type Trial = Omit<TrialRecord, 'measures'>;

/** The agent under test; where a bed has more of them, the first is the one that a row is about. */
export const APP = 'app-1';

/** A proxy was chosen for a destination. */
export interface ProxyPick {
  readonly agent: string;
  readonly destination: string;
  readonly proxy: string;
  /** Chosen again right after it was forgotten. */
  readonly sameAgain: boolean;
  /** Recorded by the retry that follows NO_SESSION, and drawn from nothing. */
  readonly byRetry: boolean;
  readonly atNs: number;
}

export type ForgetReason = 'connect' | 'streak' | 'prxy' | 'disconnect';

/** An entry was forgotten, or its streak begun, kept or cleared, because of a result that came `by` a proxy. */
export interface EntryChange {
  readonly what: 'forgotten' | 'started' | 'kept' | 'cleared';
  readonly agent: string;
  readonly destination: string;
  readonly proxy: string;
  readonly by: string;
  readonly reason: string;
  readonly atNs: number;
}

/**
 * The events without what a node said before it began anew for this trial: while a bed is reset, nodes that are still of
 * the trial before lose their connections, choose and forget, and are heard. A node that never says `ready` in the trial, and
 * one that runs again later in it, keep all of theirs.
 */
export function ofThisTrial(events: readonly RecordedEvent[]): RecordedEvent[] {
  const began = new Map<string, number>();
  for (const { node, event, atNs } of events)
    if (event === 'ready' && !began.has(node)) began.set(node, atNs);
  return events.filter(({ node, atNs }) => atNs >= (began.get(node) ?? Number.NEGATIVE_INFINITY));
}

/** Registers a measure of what happened in the trial itself. */
export function registerTrialMeasure(name: string, measure: MeasurePredicate): void {
  registerMeasure(name, (trial, events) => measure(trial, ofThisTrial(events)));
}

export const isAgent = ({ node }: RecordedEvent): boolean => node.startsWith('app-');

export function picksIn(events: readonly RecordedEvent[]): ProxyPick[] {
  return events
    .filter((event) => event.event === 'proxy.chosen' && isAgent(event))
    .map((event) => {
      const proxy = requiredField(event, 'proxy', 'string');
      return {
        agent: event.node,
        destination: requiredField(event, 'destination', 'string'),
        proxy,
        sameAgain: event.fields['previous'] === proxy,
        byRetry: event.fields['retry'] === true,
        atNs: event.atNs,
      };
    });
}

const CHANGES: Readonly<Record<string, EntryChange['what']>> = {
  'proxy.forgotten': 'forgotten',
  'streak.started': 'started',
  'streak.kept': 'kept',
  'streak.cleared': 'cleared',
};

export function changesIn(events: readonly RecordedEvent[]): EntryChange[] {
  return events.flatMap((event) => {
    const what = CHANGES[event.event];
    if (!what || !isAgent(event)) return [];
    return [
      {
        what,
        agent: event.node,
        destination: requiredField(event, 'destination', 'string'),
        proxy: requiredField(event, 'proxy', 'string'),
        by: requiredField(event, 'by', 'string'),
        reason: requiredField(event, 'reason', 'string'),
        atNs: event.atNs,
      },
    ];
  });
}

/** A failed forward, and the hop that the agent blames. */
export function failedForwardsIn(
  events: readonly RecordedEvent[],
): { readonly proxy: string; readonly error: string; readonly hop: string; readonly atNs: number }[] {
  return events
    .filter((event) => event.event === 'forward.failed' && isAgent(event))
    .map((event) => ({
      proxy: requiredField(event, 'proxy', 'string'),
      error: requiredField(event, 'error', 'string'),
      hop: requiredField(event, 'hop', 'string'),
      atNs: event.atNs,
    }));
}

/** Recorded time → the unwarped seconds that the nodes believe in. */
export const seconds = (ns: number, { warp }: { readonly warp: number }): number => (ns / 1e9) * warp;

/** The moment at which a fault whose id begins so was in force for the first time. */
export function appliedNs(trial: Trial, id: string): number | undefined {
  const instants = trial.faults.flatMap((fault) =>
    fault.id.startsWith(id) && fault.appliedNs !== undefined ? [fault.appliedNs] : [],
  );
  return instants.length === 0 ? undefined : Math.min(...instants);
}

/** The moment at which all faults whose ids begin so had been lifted; undefined while one was not. */
export function liftedNs(trial: Trial, id: string): number | undefined {
  const faults = trial.faults.filter((fault) => fault.id.startsWith(id));
  const instants = faults.map((fault) => fault.liftedNs);
  if (instants.length === 0 || instants.includes(undefined)) return undefined;
  return Math.max(...(instants as number[]));
}
