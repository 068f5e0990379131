import { differenceOfMeans, type Stratum } from './difference.ts';
import type { ConfidenceInterval } from './interval.ts';
import { mean } from './quantile.ts';

export interface Ratio {
  /** Candidate over baseline, means averaged over the strata; NaN where the baseline is 0. */
  readonly ratio: number;
  /** Absent where the samples are too small, or the baseline's mean is not clearly above 0. */
  readonly interval: ConfidenceInterval | undefined;
}

/** Ratios beyond this are not bounded by a sample that anybody would call a measurement. */
const LARGEST = 1e9;
const HALVINGS = 200;

/**
 * Ratio of means with the interval of all ratios r at which Welch's test does not tell candidate from r × baseline: Fieller's
 * (1954) for unequal variances, found by halving since the test statistic only falls with r while the baseline's own mean
 * is clearly above 0. So "at most 1.1" holds by this interval exactly when the difference from 1.1 × baseline does.
 */
export function ratioOfMeans(strata: readonly Stratum[], level = 0.95): Ratio {
  const of = (side: keyof Stratum): number => mean(strata.map((one) => mean(one[side])));
  const [baseline, candidate] = [of('baseline'), of('candidate')];
  const ratio = baseline === 0 ? Number.NaN : candidate / baseline;
  const apart = (r: number) =>
    differenceOfMeans(
      strata.map((one) => ({ ...one, baseline: one.baseline.map((value) => value * r) })),
      level,
    ).interval;
  const high = crossing((r) => apart(r)?.high);
  const low = crossing((r) => apart(r)?.low);
  const known = baseline > 0 && high !== undefined && low !== undefined;
  return { ratio, interval: known ? { low, high, level, method: 'Fieller, Welch' } : undefined };
}

/** Where a falling function crosses 0, from 0 on; 0 when it is below it there already. */
function crossing(valueAt: (r: number) => number | undefined): number | undefined {
  const first = valueAt(0);
  if (first === undefined) return undefined;
  if (first <= 0) return 0;
  let [above, below] = [0, 1];
  while ((valueAt(below) ?? Number.NaN) > 0) {
    [above, below] = [below, below * 2];
    if (below > LARGEST) return undefined;
  }
  for (let step = 0; step < HALVINGS && below - above > 1e-12 * below; step += 1) {
    const middle = (above + below) / 2;
    if ((valueAt(middle) ?? Number.NaN) > 0) above = middle;
    else below = middle;
  }
  return below;
}
