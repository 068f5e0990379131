/**
 * What the memberlist node says (images/memberlist-node/README.md), read in one place, and who was cut off when.
 * Everything here is pure over a trial's record.
 */
import type { FaultRecord, RecordedEvent, TrialRecord } from '../../harness/index.ts';
import { requiredField } from '../../harness/index.ts';

type Trial = Pick<TrialRecord, 'faults' | 'nodes' | 'endNs' | 'startNs' | 'warp' | 'phases'>;

/** A node marked another dead, on its own timer's verdict or on somebody's word. */
export interface Death {
  readonly witness: string;
  readonly victim: string;
  readonly accuser: string;
  readonly atNs: number;
}

/** A suspicion timer of `accuser` declared `victim` dead. */
export interface SuspicionVerdict {
  readonly accuser: string;
  readonly victim: string;
  /** Of the victim, as accused. It rises with each refutation, so victim and incarnation name one killing. */
  readonly incarnation: number;
  readonly confirmations: number;
  /** `timer` ran out, `confirm` fired at once on an overdue confirmation, `grace` the same after the grace. */
  readonly trigger: string;
  readonly sinceStartMs: number;
  /** The timeout that the confirmations ask for, times the node's health score + 1 as it fired. */
  readonly scaledTimeoutMs: number;
  readonly atNs: number;
}

export function deathsIn(events: readonly RecordedEvent[]): Death[] {
  return events
    .filter((event) => event.event === 'member.dead')
    .map((event) => ({
      witness: event.node,
      victim: requiredField(event, 'victim', 'string'),
      accuser: requiredField(event, 'by', 'string'),
      atNs: event.atNs,
    }));
}

export function verdictsIn(events: readonly RecordedEvent[]): SuspicionVerdict[] {
  return events
    .filter((event) => event.event === 'suspicion.fired')
    .map((event) => ({
      accuser: event.node,
      victim: requiredField(event, 'victim', 'string'),
      incarnation: requiredField(event, 'incarnation', 'number'),
      confirmations: requiredField(event, 'confirmations', 'number'),
      trigger: requiredField(event, 'trigger', 'string'),
      sinceStartMs: requiredField(event, 'sinceStartMs', 'number'),
      scaledTimeoutMs: requiredField(event, 'scaledTimeoutMs', 'number'),
      atNs: event.atNs,
    }));
}

/** The faults that cut nodes off: every step of the suite that does so has an id that begins with `cut`. */
export function cutsOf(trial: Trial): FaultRecord[] {
  return trial.faults.filter((fault) => fault.id.startsWith('cut') && fault.appliedNs !== undefined);
}

/** Nodes that a cut, a crash or a half cut touched at any time: they are not healthy witnesses, nor false victims. */
export function touchedBy(trial: Trial): Set<string> {
  return new Set(
    trial.faults.filter((fault) => /^(cut|crash)/.test(fault.id)).flatMap((fault) => fault.targets),
  );
}

/** From the first cut to the end of the watch. */
export function watchedSpan(trial: Trial): { readonly fromNs: number; readonly toNs: number } {
  const cuts = cutsOf(trial);
  const fromNs =
    cuts.length > 0 ? Math.min(...cuts.map((cut) => cut.appliedNs ?? trial.startNs)) : trial.startNs;
  const last = trial.phases.at(-1);
  return { fromNs, toNs: last?.endNs ?? trial.endNs };
}

/** Where a moment lies for a node that was cut off, by the node's own cuts (there may be several). */
export function placeInCuts(
  trial: Trial,
  node: string,
  atNs: number,
): {
  readonly during: boolean;
  /** Recorded time since the node's last release before it; undefined before the first one. */
  readonly sinceReleaseNs: number | undefined;
} {
  const own = cutsOf(trial).filter((cut) => cut.targets.includes(node));
  const during = own.some(
    ({ appliedNs = Number.POSITIVE_INFINITY, liftedNs = Number.POSITIVE_INFINITY }) =>
      atNs >= appliedNs && atNs < liftedNs,
  );
  const releases = own.flatMap(({ liftedNs }) =>
    liftedNs !== undefined && liftedNs <= atNs ? [liftedNs] : [],
  );
  return { during, sinceReleaseNs: releases.length > 0 ? atNs - Math.max(...releases) : undefined };
}

/** The last release of all cuts; undefined while one was never lifted. */
export function releaseNs(trial: Trial): number | undefined {
  const lifts = cutsOf(trial).map((cut) => cut.liftedNs);
  if (lifts.length === 0 || lifts.some((at) => at === undefined)) return undefined;
  return Math.max(...(lifts as number[]));
}
