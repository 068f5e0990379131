/**
 * What the memberlist node says (images/memberlist-node/README.md), read in one place, and who was cut off when.
 * Everything here is pure over a trial's record.
 */
import type { FaultRecord, RecordedEvent, TrialRecord } from '../../harness/index.ts';

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
  readonly confirmations: number;
  /** `timer` ran out, `confirm` fired at once on an overdue confirmation, `grace` the same after the grace. */
  readonly trigger: string;
  readonly sinceLastConfirmMs: number | undefined;
  readonly score: number;
  readonly sinceStartMs: number;
  /** The timeout that the confirmations ask for, times the node's health score + 1 as it fired. */
  readonly scaledTimeoutMs: number;
  readonly atNs: number;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const numeric = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);

export function deathsIn(events: readonly RecordedEvent[]): Death[] {
  return events
    .filter((event) => event.event === 'member.dead')
    .map(({ node, fields, atNs }) => ({
      witness: node,
      victim: text(fields['victim']),
      accuser: text(fields['by']),
      atNs,
    }));
}

export function verdictsIn(events: readonly RecordedEvent[]): SuspicionVerdict[] {
  return events
    .filter((event) => event.event === 'suspicion.fired')
    .map(({ node, fields, atNs }) => ({
      accuser: node,
      victim: text(fields['victim']),
      confirmations: numeric(fields['confirmations']),
      trigger: text(fields['trigger']),
      sinceLastConfirmMs:
        typeof fields['sinceLastConfirmMs'] === 'number' ? fields['sinceLastConfirmMs'] : undefined,
      score: numeric(fields['score']),
      sinceStartMs: numeric(fields['sinceStartMs']),
      scaledTimeoutMs: numeric(fields['scaledTimeoutMs']),
      atNs,
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

/** The last release of all cuts; undefined while one was never lifted. */
export function releaseNs(trial: Trial): number | undefined {
  const lifts = cutsOf(trial).map((cut) => cut.liftedNs);
  if (lifts.length === 0 || lifts.some((at) => at === undefined)) return undefined;
  return Math.max(...(lifts as number[]));
}
