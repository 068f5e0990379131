import { SquallError } from '../errors/index.ts';
import type { ParameterValue, Point } from '../record/index.ts';
import { defaultPoint } from './parameter.ts';
import type { GridSpec, ScenarioSpec } from './types.ts';

/** Values given for this call, by parameter; a list replaces the grid's axis. */
export type ParameterLists = Readonly<Record<string, readonly ParameterValue[]>>;

/** The scenario's grid of that name. @throws SquallError `unknown-grid` (input) */
export function requireGrid(scenario: ScenarioSpec, name: string): GridSpec {
  const grid = scenario.grids[name];
  if (!grid) {
    throw new SquallError(
      `scenario ${scenario.name}: no grid "${name}"; it has ${Object.keys(scenario.grids).join(', ') || 'none'}.`,
      { code: 'unknown-grid', blame: 'input' },
    );
  }
  return grid;
}

/**
 * The points of a grid: the product of its axes (each replaced by the list given for it), then its single points that
 * agree with the lists. When lists leave none of a grid that has single points only, the lists' own product is meant.
 * Complete points, each once, in a stable order: axes vary in the order of declaration, the last one fastest.
 */
export function expandGrid(scenario: ScenarioSpec, grid: GridSpec, lists: ParameterLists): Point[] {
  const axes: Record<string, readonly ParameterValue[]> = { ...grid.axes, ...lists };
  const singles = grid.points ?? [];
  const hasAxes = Object.keys(grid.axes).length > 0 || singles.length === 0;
  const points = hasAxes ? product(scenario, axes) : [];
  for (const single of singles) {
    const open = Object.fromEntries(Object.entries(lists).filter(([name]) => !(name in single)));
    const agrees = Object.entries(single).every(([name, value]) => lists[name]?.includes(value) ?? true);
    if (agrees) points.push(...product(scenario, open).map((point) => ({ ...point, ...single })));
  }
  return distinct(points.length > 0 ? points : product(scenario, lists));
}

function product(scenario: ScenarioSpec, axes: Readonly<Record<string, readonly ParameterValue[]>>): Point[] {
  const names = Object.keys(scenario.parameters).filter((name) => name in axes);
  return names.reduce<Point[]>(
    (points, name) =>
      points.flatMap((point) => (axes[name] ?? []).map((value) => ({ ...point, [name]: value }))),
    [defaultPoint(scenario.parameters)],
  );
}

function distinct(points: readonly Point[]): Point[] {
  return [...new Map(points.map((point) => [JSON.stringify(point), point])).values()];
}
