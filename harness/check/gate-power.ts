import type { GateMeasured, GateVision } from '../record/index.ts';
import { excludedRate, trialsToShow } from '../stats/index.ts';
import { countOf } from './count-of.ts';

/** Trials in which a defect was seen to show at a gate's point, of those that were made there to measure it. */
export interface ShownCounts {
  readonly shown: number;
  readonly trials: number;
  /** The runs that they were counted in, with their seeds, as the end of a sentence. */
  readonly source?: string;
}

export interface GatePower {
  /** The defect shows in at least this share of trials, 0..1: exact binomial, one-sided 95 %. */
  readonly atLeastRate: number;
  /** Trials, none of them a miss, that would raise it to `GATE_RATE`; 0 where it is there. */
  readonly furtherTrials: number;
}

/** What a gate's must-fail point needs: one that shows the defect more rarely would fail for no change of the system. */
export const GATE_RATE = 0.99;

/**
 * The power of a gate's point. Shown in at least 1 − the rate of misses that the trials exclude, after Clopper and
 * Pearson: (1 − 0.95)^(1/n) without a miss. Pure. @throws SquallError `bad-sample` for counts that are none
 */
export function gatePower({ shown, trials }: ShownCounts): GatePower {
  const misses = trials - shown;
  const atLeastRate = 1 - excludedRate(misses, trials);
  return { atLeastRate, furtherTrials: atLeastRate >= GATE_RATE ? 0 : trialsNeeded(misses) - trials };
}

/** The same with what was measured, for a record. */
export function gateVision(measured: GateMeasured): GateVision {
  return { ...measured, ...gatePower(measured), sentence: gateSentence(measured.defect, measured) };
}

/** What a gate's point can see, for people; where that is too little, it says so and what would be enough. */
export function gateSentence(defect: string, counts: ShownCounts): string {
  const { atLeastRate, furtherTrials } = gatePower(counts);
  const { shown, trials, source } = counts;
  const counted = source === undefined ? '' : ` Counted in ${source}.`;
  const known = `${defect} shows at this point in at least ${percent(atLeastRate)} of trials (${shown} of ${trials}, one-sided 95 %)`;
  if (furtherTrials === 0) return `${known}.${counted}`;
  return `${known}. That is under the ${percent(GATE_RATE)} that a point which must fail needs: ${countOf(furtherTrials, 'further trial')} without a miss would reach it.${counted}`;
}

/** Fewest trials with so many misses whose bound reaches `GATE_RATE`; found by halving, since it only rises with trials. */
function trialsNeeded(misses: number): number {
  const reaches = (trials: number): boolean => 1 - excludedRate(misses, trials) >= GATE_RATE;
  let enough = misses + trialsToShow(1 - GATE_RATE);
  while (!reaches(enough)) enough *= 2;
  let tooFew = misses;
  while (enough - tooFew > 1) {
    const middle = Math.floor((enough + tooFew) / 2);
    if (reaches(middle)) enough = middle;
    else tooFew = middle;
  }
  return enough;
}

/** One decimal. A bound just under what is needed is not rounded up to it. */
function percent(rate: number): string {
  const rounded = Math.round(rate * 1_000) / 10;
  const needed = GATE_RATE * 100;
  return `${rate < GATE_RATE && rounded >= needed ? needed - 0.1 : rounded} %`;
}
