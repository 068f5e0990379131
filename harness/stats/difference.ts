import type { SeededStream } from '../random/index.ts';
import { RESAMPLES } from './bootstrap.ts';
import { tQuantile } from './distributions.ts';
import type { ConfidenceInterval } from './interval.ts';
import { mean, median, quantileOfSorted, variance } from './quantile.ts';

/** Two samples taken under the same conditions; several make a stratified comparison. */
export interface Stratum {
  readonly baseline: readonly number[];
  readonly candidate: readonly number[];
}

export interface Difference {
  /** Candidate minus baseline, averaged over the strata with equal weight. */
  readonly effect: number;
  /** Absent where the samples are too small or too uniform for one. */
  readonly interval: ConfidenceInterval | undefined;
}

/** Values a side below which nothing varying is no evidence of sameness. */
const UNIFORM_FROM = 6;
/** Values a side from which a median is bootstrapped. */
const MEDIAN_FROM = 5;

/**
 * Difference of means with Welch's interval (1947), the variances of the strata added and the degrees of freedom
 * after Satterthwaite: no equal variances assumed.
 */
export function differenceOfMeans(strata: readonly Stratum[], level = 0.95): Difference {
  const effect = mean(strata.map(({ baseline, candidate }) => mean(candidate) - mean(baseline)));
  const parts = strata.flatMap(({ baseline, candidate }) => [baseline, candidate]);
  if (parts.some((part) => part.length < 2)) return { effect, interval: undefined };
  const terms = parts.map((part) => ({
    term: variance(part) / part.length / strata.length ** 2,
    freedom: part.length - 1,
  }));
  const spread = terms.reduce((sum, { term }) => sum + term, 0);
  if (spread === 0) {
    const enough = parts.every((part) => part.length >= UNIFORM_FROM);
    const interval = enough ? { low: effect, high: effect, level, method: 'all values equal' } : undefined;
    return { effect, interval };
  }
  // As shares of the whole: squares of tiny variances would vanish.
  const freedom = 1 / terms.reduce((sum, one) => sum + (one.term / spread) ** 2 / one.freedom, 0);
  const half = tQuantile(1 - (1 - level) / 2, freedom) * Math.sqrt(spread);
  return { effect, interval: { low: effect - half, high: effect + half, level, method: 'Welch t' } };
}

/** Difference of medians with a percentile bootstrap interval, each side of each stratum drawn anew. */
export function differenceOfMedians(
  strata: readonly Stratum[],
  random: SeededStream,
  level = 0.95,
): Difference {
  const of = (some: readonly Stratum[]): number =>
    mean(some.map(({ baseline, candidate }) => median(candidate) - median(baseline)));
  const effect = of(strata);
  const parts = strata.flatMap(({ baseline, candidate }) => [baseline, candidate]);
  if (parts.some((part) => part.length < MEDIAN_FROM)) return { effect, interval: undefined };
  const redraw = (values: readonly number[]): number[] =>
    values.map(() => values[random.integer(values.length)] as number);
  const replicates = Array.from({ length: RESAMPLES }, () =>
    of(strata.map((one) => ({ baseline: redraw(one.baseline), candidate: redraw(one.candidate) }))),
  ).sort((a, b) => a - b);
  if (!replicates.every(Number.isFinite)) return { effect, interval: undefined };
  const tail = (1 - level) / 2;
  const [low, high] = [quantileOfSorted(replicates, tail), quantileOfSorted(replicates, 1 - tail)];
  return { effect, interval: { low, high, level, method: 'percentile bootstrap' } };
}
