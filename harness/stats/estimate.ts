import { stream } from '../random/index.ts';
import { bootstrap } from './bootstrap.ts';
import { tQuantile } from './distributions.ts';
import type { ConfidenceInterval } from './interval.ts';
import { mean, quantileOfSorted, sorted, variance } from './quantile.ts';

/** What of a sample is estimated: its mean, its median, another quantile (0..1), or its sum's mean a trial. */
export type Statistic = 'mean' | 'median' | { readonly quantile: number };

export interface Estimate {
  /** NaN for no values; may be infinite where censored values reach the quantile. */
  readonly value: number;
  /** Absent where the sample is too small for the level asked. */
  readonly interval: ConfidenceInterval | undefined;
  readonly count: number;
}

/** From this many values on the mean's interval is bootstrapped; below, Student's t is wider and more honest. */
const BOOTSTRAP_FROM = 10;
/** From this many values on, all equal ones count as a known mean; as many as a median at 95 % needs. */
const EQUAL_FROM = 6;

/**
 * Estimates a statistic with an interval.
 * Quantiles: exact and distribution-free, from order statistics (the count below a quantile is binomial); too few values
 * give no interval (6 are needed for a median at 95 %). Means: Student's t up to 9 values, BCa bootstrap from 10 on.
 * Rates have an exact interval of their own, `clopperPearson`. Censored values may be given as infinity (quantiles only).
 * @param seed makes a bootstrap repeatable
 */
export function estimate(
  values: readonly number[],
  statistic: Statistic,
  options: { readonly level?: number; readonly seed: string },
): Estimate {
  const level = options.level ?? 0.95;
  const ordered = sorted(values);
  const count = ordered.length;
  if (statistic !== 'mean') {
    const share = statistic === 'median' ? 0.5 : statistic.quantile;
    return {
      value: quantileOfSorted(ordered, share),
      interval: quantileInterval(ordered, share, level),
      count,
    };
  }
  return { value: mean(ordered), interval: meanInterval(ordered, level, options.seed), count };
}

function meanInterval(
  ordered: readonly number[],
  level: number,
  seed: string,
): ConfidenceInterval | undefined {
  const count = ordered.length;
  if (count < 2 || !ordered.every(Number.isFinite)) return undefined;
  // Nothing varied: an interval of width zero, named so that nobody takes it for precision, and none from a handful.
  if (ordered[0] === ordered[count - 1]) {
    if (count < EQUAL_FROM) return undefined;
    return { low: ordered[0] as number, high: ordered[0] as number, level, method: 'all values equal' };
  }
  if (count >= BOOTSTRAP_FROM) return bootstrap(ordered, mean, stream(seed, 'bootstrap'), level);
  const centre = mean(ordered);
  const half = tQuantile(1 - (1 - level) / 2, count - 1) * Math.sqrt(variance(ordered) / count);
  return { low: centre - half, high: centre + half, level, method: 'Student t' };
}

/**
 * Interval [X(l), X(u)] of a quantile by order statistics: P(X(l) ≤ q < X(u)) = Σ_{i=l}^{u−1} C(n,i) p^i (1−p)^(n−i),
 * the narrowest pair that splits the error evenly and reaches the level (Conover 1999, section 3.2).
 */
export function quantileInterval(
  ordered: readonly number[],
  share: number,
  level = 0.95,
): ConfidenceInterval | undefined {
  const count = ordered.length;
  const tail = (1 - level) / 2;
  const below = cumulativeBinomial(count, share);
  // Largest l with P(fewer than l below the quantile) ≤ tail; smallest u with P(at least u below it) ≤ tail.
  let low = 0;
  while (low < count && (below[low] as number) <= tail) low += 1;
  let high = count + 1;
  while (high > 1 && 1 - (below[high - 2] as number) <= tail) high -= 1;
  if (low < 1 || high > count) return undefined;
  return {
    low: ordered[low - 1] as number,
    high: ordered[high - 1] as number,
    level,
    method: 'order statistics',
  };
}

/** P(K ≤ k) for k = 0 … n, K binomial(n, share), summed in logarithms so that large n does not underflow. */
function cumulativeBinomial(count: number, share: number): number[] {
  if (share <= 0) return Array.from({ length: count + 1 }, () => 1);
  if (share >= 1) return Array.from({ length: count + 1 }, (_, k) => (k === count ? 1 : 0));
  const sums: number[] = [];
  let logTerm = count * Math.log1p(-share);
  let sum = 0;
  for (let k = 0; k <= count; k += 1) {
    sum += Math.exp(logTerm);
    sums.push(Math.min(1, sum));
    logTerm += Math.log(((count - k) / (k + 1)) * (share / (1 - share)));
  }
  return sums;
}
