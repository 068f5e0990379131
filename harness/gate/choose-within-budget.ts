import { SquallError } from '../errors/index.ts';
import { formatDurationMs } from '../units/index.ts';

/** Something that a gate runs or leaves out as a whole. */
export interface GateUnit {
  readonly id: string;
  /** Never left out. */
  readonly must: boolean;
}

export interface Choice<T> {
  readonly chosen: readonly T[];
  /** In order, with what each would have added. */
  readonly leftOut: readonly { readonly unit: T; readonly addsMs: number }[];
  readonly plannedMs: number;
}

/**
 * Takes units in their order (those that must run first) while what is planned stays within the budget. A unit that does
 * not fit is left out, and later, smaller ones may still fit. Without a budget all are taken.
 * @param durationOf of a set of units together, in ms: beds are shared, so it is less than the sum
 * @throws SquallError `budget-too-small` (input) when what must run does not fit, or nothing does
 */
export function chooseWithinBudget<T extends GateUnit>(
  units: readonly T[],
  budgetMs: number | undefined,
  durationOf: (units: readonly T[]) => number,
): Choice<T> {
  if (budgetMs === undefined) return { chosen: units, leftOut: [], plannedMs: durationOf(units) };
  const taken = units.filter((unit) => unit.must);
  let plannedMs = taken.length === 0 ? 0 : durationOf(taken);
  if (plannedMs > budgetMs) {
    throw tooSmall(budgetMs, `what must run takes about ${formatDurationMs(plannedMs)}`);
  }
  const chosen = new Set<T>(taken);
  const leftOut: { unit: T; addsMs: number }[] = [];
  for (const unit of units) {
    if (chosen.has(unit)) continue;
    const withMs = durationOf([...chosen, unit]);
    if (withMs > budgetMs) {
      leftOut.push({ unit, addsMs: withMs - plannedMs });
      continue;
    }
    chosen.add(unit);
    plannedMs = withMs;
  }
  if (chosen.size === 0 && units.length > 0) {
    const least = Math.min(...leftOut.map((one) => one.addsMs));
    throw tooSmall(budgetMs, `nothing fits; the smallest part takes about ${formatDurationMs(least)}`);
  }
  return { chosen: units.filter((unit) => chosen.has(unit)), leftOut, plannedMs };
}

function tooSmall(budgetMs: number, why: string): SquallError {
  return new SquallError(`gate: a budget of ${formatDurationMs(budgetMs)} is too small: ${why}.`, {
    code: 'budget-too-small',
    blame: 'input',
    hint: 'Raise --budget, run --quick, or split the gate with --shard.',
  });
}
