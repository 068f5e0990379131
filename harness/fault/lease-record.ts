import type { FaultRecord, WitnessRecord } from '../record/index.ts';
import { biteProblems } from './must-show.ts';
import { recordedSettings } from './recorded-settings.ts';
import type { FaultPlan } from './types.ts';

/** What every lease knows of itself when its record is asked for. */
export interface LeaseFacts {
  readonly plan: FaultPlan;
  readonly appliedNs: number | undefined;
  readonly liftedNs: number | undefined;
  readonly endedNs?: number | undefined;
  readonly goneNs: number | undefined;
  readonly released?: FaultRecord['released'];
  readonly skew: { readonly applySkewNs?: number; readonly liftSkewNs?: number };
  readonly witness: WitnessRecord | undefined;
  readonly gone: boolean;
  /** Met before, and met after the witness was read; what did not bite is told between the two. */
  readonly problems: readonly string[];
  readonly voids: readonly string[];
}

/** The record of one lease: it bit when it was applied and its witness shows what it must. */
export function leaseRecord(facts: LeaseFacts): FaultRecord {
  const { appliedNs, liftedNs, endedNs, goneNs, released, witness } = facts;
  const { id, kind, targets, selector } = facts.plan;
  const bite = biteProblems(facts.plan, witness);
  return {
    id,
    kind,
    targets,
    selector,
    settings: recordedSettings(facts.plan),
    ...(appliedNs === undefined ? {} : { appliedNs }),
    ...(liftedNs === undefined ? {} : { liftedNs }),
    ...(endedNs === undefined ? {} : { endedNs }),
    ...(goneNs === undefined ? {} : { goneNs }),
    ...(released === undefined ? {} : { released }),
    ...facts.skew,
    ...(witness === undefined ? {} : { witness }),
    bit: appliedNs !== undefined && bite.length === 0,
    gone: facts.gone,
    problems: [...facts.problems, ...bite, ...facts.voids],
  };
}
