import type { MeasureSpec, MeasureSummary, TrialRecord } from '../record/index.ts';
import { estimate, mean, quantile } from '../stats/index.ts';
import { flat } from './trial-values.ts';

/** Pooled samples longer than this keep their first values in run.json; the figures are of all. */
const VALUES_LIMIT = 2_000;

/** Each measure over the counted trials of a point; tables become one measure an entry, `table.key`. */
export function summariseMeasures(
  trials: readonly TrialRecord[],
  specs: readonly MeasureSpec[],
): Readonly<Record<string, MeasureSummary>> {
  const values = new Map<string, (number | null)[]>();
  const add = (name: string, more: readonly (number | null)[]): void => {
    const list = values.get(name) ?? [];
    for (const value of more) list.push(value);
    values.set(name, list);
  };
  for (const trial of trials) {
    for (const [name, value] of Object.entries(trial.measures)) {
      if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
        for (const [key, entry] of Object.entries(value)) add(`${name}.${key}`, [entry]);
      } else add(name, flat(value));
    }
  }
  return Object.fromEntries(
    [...values].map(([name, list]) => [
      name,
      summarise(list, specs.find((spec) => spec.name === name)?.unit, name),
    ]),
  );
}

function summarise(
  values: readonly (number | null)[],
  unit: string | undefined,
  seed: string,
): MeasureSummary {
  const known = values.filter((value) => value !== null);
  const kept = values.slice(0, VALUES_LIMIT);
  if (known.length === 0) return { values: kept, ...(unit === undefined ? {} : { unit }) };
  // Censored values are larger than all that was seen: quantiles may count them so, means may not.
  const withCensored = values.map((value) => value ?? Number.POSITIVE_INFINITY);
  const ofMean = known.length === values.length ? estimate(known, 'mean', { seed }).interval : undefined;
  // The mean of counts is not below zero, though Student's t does not know that.
  const areCounts = known.every((value) => Number.isInteger(value) && value >= 0);
  const mean95 = ofMean && areCounts ? { ...ofMean, low: Math.max(0, ofMean.low) } : ofMean;
  const ofMedian = estimate(withCensored, 'median', { seed }).interval;
  const finite = (name: string, value: number): Record<string, number> =>
    Number.isFinite(value) ? { [name]: value } : {};
  return {
    values: kept,
    ...(known.length === values.length ? { mean: mean(known) } : {}),
    ...finite('median', quantile(withCensored, 0.5)),
    ...finite('p90', quantile(withCensored, 0.9)),
    min: known.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY),
    max: known.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY),
    ...(mean95 ? { interval: mean95 } : {}),
    ...(ofMedian && Number.isFinite(ofMedian.low) && Number.isFinite(ofMedian.high)
      ? { medianInterval: ofMedian }
      : {}),
    ...(unit === undefined ? {} : { unit }),
  };
}
