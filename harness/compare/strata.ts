import { type ComparedTrial, valuesOf } from '../check/index.ts';
import {
  type ComparedMeasure,
  type ComparisonSpec,
  type Finding,
  matchesPoint,
  type Point,
} from '../record/index.ts';
import { mean } from '../stats/index.ts';

/** The two sides' counted trials under one condition: the same point but for the parameter that makes the sides. */
export interface Condition {
  readonly baseline: readonly ComparedTrial[];
  readonly candidate: readonly ComparedTrial[];
}

/** Conditions that both sides have, in the order of their first trial; voids and unproven trials are left out. */
export function conditionsOf(spec: ComparisonSpec, trials: readonly ComparedTrial[]): Condition[] {
  const groups = new Map<string, { baseline: ComparedTrial[]; candidate: ComparedTrial[] }>();
  for (const trial of trials.filter((one) => one.counted)) {
    const side = sideOf(spec, trial);
    if (!side) continue;
    const { [spec.parameter]: _side, ...rest } = trial.point;
    const key = JSON.stringify(Object.entries(rest).sort());
    const group = groups.get(key) ?? { baseline: [], candidate: [] };
    group[side].push(trial);
    groups.set(key, group);
  }
  return [...groups.values()].filter((group) => group.baseline.length > 0 && group.candidate.length > 0);
}

export function sideOf(
  spec: ComparisonSpec,
  { point }: { readonly point: Point },
): 'baseline' | 'candidate' | undefined {
  if (!matchesPoint(point, spec.where)) return undefined;
  const value = point[spec.parameter];
  if (value === spec.baseline) return 'baseline';
  return value === spec.candidate ? 'candidate' : undefined;
}

export interface SideValues {
  readonly values: readonly number[];
  /** Trials of these that did not see it happen. */
  readonly open: number;
}

/**
 * One value a trial: the measure itself, or the mean of a sample, so that trials and not values within them are what
 * varies. With `openAs`, values count up to what the trial was watched, and those that were not seen as that much, so that none is
 * ranked behind them. Undefined when some trial lacks the measure, or has it censored and does not say how far it was watched.
 */
export function valuesOfTrials(
  trials: readonly ComparedTrial[],
  { measure, openAs }: Pick<ComparedMeasure, 'measure' | 'openAs'>,
): SideValues | undefined {
  const values: number[] = [];
  let open = 0;
  for (const trial of trials) {
    const own = valuesOf(trial.measures, measure);
    const [watched = null] = openAs === undefined ? [] : valuesOf(trial.measures, openAs);
    const isOpen = own.includes(null);
    if (own.length === 0 || (isOpen && watched === null)) return undefined;
    const most = watched ?? Number.POSITIVE_INFINITY;
    values.push(mean(own.map((value) => Math.min(value ?? most, most))));
    open += Number(isOpen);
  }
  return { values, open };
}

/** Trials of the candidate that lost something: each is decisive. Trials that do not say whether they did are `unknown`. */
export function lossesOf(
  spec: ComparisonSpec,
  trials: readonly ComparedTrial[],
): { readonly losses: Finding[]; readonly unknown: number } {
  const losses: Finding[] = [];
  let unknown = 0;
  const candidate = trials.filter((one) => one.counted && sideOf(spec, one) === 'candidate');
  for (const trial of candidate) {
    for (const measure of spec.noLoss ?? []) {
      const own = valuesOf(trial.measures, measure);
      if (own.length === 0 || own.includes(null)) unknown += 1;
      const lost = own.reduce<number>((sum, value) => sum + (value ?? 0), 0);
      if (lost > 0) {
        losses.push({
          subject: `${measure} at ${trial.pointId}`,
          observed: String(lost),
          expected: 'none lost',
          trial: trial.trial,
        });
      }
    }
  }
  return { losses, unknown };
}

/** Void trials a side. Unequal when they differ by more than one and by more than a tenth of what the larger side ran. */
export function voidsOf(
  spec: ComparisonSpec,
  trials: readonly ComparedTrial[],
): { readonly baseline: number; readonly candidate: number; readonly unequal: boolean } {
  const of = (side: string): readonly ComparedTrial[] => trials.filter((one) => sideOf(spec, one) === side);
  const voids = (side: string): number => of(side).filter((one) => one.outcome === 'void').length;
  const [baseline, candidate] = [voids('baseline'), voids('candidate')];
  const allowed = Math.max(1, Math.max(of('baseline').length, of('candidate').length) / 10);
  return { baseline, candidate, unequal: Math.abs(baseline - candidate) > allowed };
}
