import type { MeasureSpec, MeasureValue, TrialRecord } from '../record/index.ts';

/** The values of one measure in one trial: a scalar is one, a sample several; `null` is censored. */
export interface TrialValues {
  readonly trial: number;
  readonly values: readonly (number | null)[];
}

/**
 * A measure's values, trial by trial. `table.key` names one entry of a table, and a table's own name all its entries.
 * A trial that does not have the measure has no values: that is not the same as `null`.
 */
export function trialValues(trials: readonly TrialRecord[], measure: string): TrialValues[] {
  return trials.map((trial) => ({ trial: trial.trial, values: valuesOf(trial.measures, measure) }));
}

/** Unit of a measure as the scenario declared it; `''` when it declared none. */
export function unitOf(measures: readonly MeasureSpec[], measure: string): string {
  return measures.find((one) => one.name === measure)?.unit ?? '';
}

/** Title of a measure as the scenario declared it, or its name. */
export function titleOf(measures: readonly MeasureSpec[], measure: string): string {
  return measures.find((one) => one.name === measure)?.title ?? measure;
}

export function valuesOf(
  measures: Readonly<Record<string, MeasureValue>>,
  name: string,
): readonly (number | null)[] {
  const direct = measures[name];
  if (direct !== undefined) return flat(direct);
  const dot = name.indexOf('.');
  if (dot < 0) return [];
  const table = measures[name.slice(0, dot)];
  if (table === null || typeof table !== 'object' || Array.isArray(table)) return [];
  const entry = (table as Readonly<Record<string, number>>)[name.slice(dot + 1)];
  return entry === undefined ? [] : [entry];
}

export function flat(value: MeasureValue): readonly (number | null)[] {
  if (value === null || typeof value === 'number') return [value];
  return Array.isArray(value) ? value : Object.values(value);
}
