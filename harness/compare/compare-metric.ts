import { formatNumber, formatQuantity, pValueText, titleOf, unitOf } from '../check/index.ts';
import { stream } from '../random/index.ts';
import type { ComparedMeasure, ComparedMetric, MeasureSpec } from '../record/index.ts';
import {
  type Difference,
  differenceOfMeans,
  differenceOfMedians,
  mean,
  median,
  type Stratum,
  stratifiedRankTest,
} from '../stats/index.ts';
import { type Condition, valuesOfTrials } from './strata.ts';

export interface MetricContext {
  readonly conditions: readonly Condition[];
  readonly measures: readonly MeasureSpec[];
  readonly baseline: string;
  readonly candidate: string;
  readonly seed: string;
}

/**
 * One measure on both sides: effect, interval, rank test, and where the interval lies against the margin.
 * Better: wholly on the good side of zero. Worse: wholly beyond the margin. No worse: wholly short of the margin.
 * Where the sides are to be the same: wholly within the margin either way agrees, unless the rank test tells the sides apart all the
 * same; wholly beyond it differs.
 * Values that were not seen to happen are known to be at least what was watched: nothing good is said of a candidate that has
 * as large a share of them as the baseline.
 * Anything else is unclear, and says what is missing.
 */
export function compareMetric(
  spec: ComparedMeasure,
  role: ComparedMetric['role'],
  context: MetricContext,
): ComparedMetric {
  const unit = unitOf(context.measures, spec.measure);
  const title = titleOf(context.measures, spec.measure);
  const base = {
    measure: spec.measure,
    role,
    unit,
    better: spec.better,
    margin: spec.margin,
    baselineTrials: context.conditions.reduce((sum, one) => sum + one.baseline.length, 0),
    candidateTrials: context.conditions.reduce((sum, one) => sum + one.candidate.length, 0),
  };
  const sides = sidesOf(context.conditions, spec);
  if (!sides || sides.strata.length === 0) {
    const why = sides
      ? 'no condition has trials of both sides'
      : 'some trial lacks it or did not see it happen';
    return { ...base, outcome: 'unclear', sentence: `${title} cannot be compared: ${why}.` };
  }
  const { strata, baselineOpen, candidateOpen } = sides;
  const { effect, interval } = difference(spec, strata, context.seed);
  const of = spec.statistic === 'median' ? median : mean;
  const metric = {
    ...base,
    ...(spec.openAs !== undefined && { baselineOpen, candidateOpen }),
    baselineEstimate: mean(strata.map((one) => of(one.baseline))),
    candidateEstimate: mean(strata.map((one) => of(one.candidate))),
    effect,
    ...(interval ? { interval } : {}),
    pValue: stratifiedRankTest(strata),
  };
  const seen = outcomeOf(spec, interval);
  const apart = seen === 'agrees' && metric.pValue < (spec.rankBelow ?? 0);
  const outcome = isSpokenFor(seen, metric) && !apart ? seen : 'unclear';
  const sentence = sentenceOf(title, { ...metric, outcome }, context);
  return {
    ...metric,
    outcome,
    sentence: apart
      ? `${sentence} The ${spec.statistic ?? 'mean'}s lie within the margin, but below ${spec.rankBelow} the rank test tells the sides apart.`
      : sentence,
  };
}

/**
 * A measure of several that are shown beside each other: that the sides differ is said only where the adjusted p is below what the
 * interval leaves to chance too. A better one is then no worse, which its interval shows all the same; a worse one is unclear.
 * @param adjustedPValue after Holm, over all of them
 */
export function adjustMetric(
  metric: ComparedMetric,
  adjustedPValue: number,
  context: MetricContext,
): ComparedMetric {
  if (metric.pValue === undefined) return metric;
  const whole = { ...metric, adjustedPValue };
  const outcome = MODEST[metric.outcome];
  if (outcome === undefined || adjustedPValue < 1 - (metric.interval?.level ?? 1)) return whole;
  const sentence = sentenceOf(titleOf(context.measures, metric.measure), { ...whole, outcome }, context);
  const why = `By itself it would be called ${metric.outcome}; among all that are compared that may be chance (adjusted ${pValueText(adjustedPValue)}).`;
  return { ...whole, outcome, sentence: `${sentence} ${why}` };
}

/** What is left of a difference that may be chance. */
const MODEST: Partial<Readonly<Record<ComparedMetric['outcome'], ComparedMetric['outcome']>>> = {
  better: 'no worse',
  worse: 'unclear',
  differs: 'unclear',
};

interface Sides {
  readonly strata: readonly Stratum[];
  readonly baselineOpen: number;
  readonly candidateOpen: number;
}

function sidesOf(conditions: readonly Condition[], spec: ComparedMeasure): Sides | undefined {
  const strata: Stratum[] = [];
  let [baselineOpen, candidateOpen] = [0, 0];
  for (const condition of conditions) {
    const baseline = valuesOfTrials(condition.baseline, spec);
    const candidate = valuesOfTrials(condition.candidate, spec);
    if (!baseline || !candidate) return undefined;
    strata.push({ baseline: baseline.values, candidate: candidate.values });
    baselineOpen += baseline.open;
    candidateOpen += candidate.open;
  }
  return { strata, baselineOpen, candidateOpen };
}

/** Open values are lower bounds, which may make a candidate look bad too mildly, but never better than it is. */
function isSpokenFor(
  outcome: ComparedMetric['outcome'],
  metric: Pick<ComparedMetric, 'baselineOpen' | 'candidateOpen' | 'baselineTrials' | 'candidateTrials'>,
): boolean {
  const { baselineOpen = 0, candidateOpen = 0, baselineTrials, candidateTrials } = metric;
  if (outcome === 'agrees') return baselineOpen === 0 && candidateOpen === 0;
  if (outcome !== 'better' && outcome !== 'no worse') return true;
  return candidateOpen === 0 || candidateOpen / candidateTrials < baselineOpen / baselineTrials;
}

function difference(spec: ComparedMeasure, strata: readonly Stratum[], seed: string): Difference {
  return spec.statistic === 'median'
    ? differenceOfMedians(strata, stream(seed, `compare/${spec.measure}`), spec.level)
    : differenceOfMeans(strata, spec.level);
}

function outcomeOf(spec: ComparedMeasure, interval: Difference['interval']): ComparedMetric['outcome'] {
  if (!interval) return 'unclear';
  if (spec.better === 'same') {
    if (interval.low > spec.margin || interval.high < -spec.margin) return 'differs';
    return interval.low >= -spec.margin && interval.high <= spec.margin ? 'agrees' : 'unclear';
  }
  // Turned so that larger is worse.
  const [low, high] =
    spec.better === 'lower' ? [interval.low, interval.high] : [-interval.high, -interval.low];
  if (high < 0) return 'better';
  if (low > spec.margin) return 'worse';
  return high <= spec.margin ? 'no worse' : 'unclear';
}

function sentenceOf(
  title: string,
  metric: Omit<ComparedMetric, 'sentence'>,
  { baseline, candidate }: MetricContext,
): string {
  const { effect = 0, interval, unit, outcome, margin } = metric;
  const direction =
    effect === 0
      ? 'the same'
      : `${formatQuantity(Math.abs(effect), unit)} ${effect < 0 ? 'lower' : 'higher'}`;
  const { baselineOpen = 0, candidateOpen = 0 } = metric;
  const open =
    baselineOpen + candidateOpen === 0
      ? ''
      : `, ${candidateOpen} and ${baselineOpen} of them not seen to end and counted as what they were watched`;
  const trials = `${metric.candidateTrials} against ${metric.baselineTrials} trials${open}`;
  const range = interval
    ? `${formatNumber(interval.level * 100)} % interval of the difference ${formatNumber(interval.low)} to ${formatNumber(interval.high)}, ${trials}`
    : `${trials}, too few for an interval`;
  const verdict = {
    better: `${candidate} is better than ${baseline}`,
    worse: `${candidate} is worse than ${baseline}`,
    'no worse': `${candidate} is no worse than ${baseline} by more than ${formatQuantity(margin, unit)}`,
    agrees: `${candidate} agrees with ${baseline} within ${formatQuantity(margin, unit)}`,
    differs: `${candidate} differs from ${baseline} by more than ${formatQuantity(margin, unit)}`,
    unclear: `whether ${candidate} ${metric.better === 'same' ? 'agrees with' : 'is worse than'} ${baseline} is unclear`,
  }[outcome];
  const p = metric.pValue === undefined ? '' : `; rank test ${pValueText(metric.pValue)}`;
  return `${verdict}: ${title} is ${direction} (${range}${p}).`;
}
