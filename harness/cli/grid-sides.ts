import type { ParameterValue } from '../record/index.ts';
import { isSide, requireGrid, type ScenarioSelection } from '../scenario/index.ts';

/**
 * Selections of a call that names no scenario, with a side (`--variant master`) asked only of the grids that have it, where
 * some grid has it: at a grid that lists other sides it would be a point that its checks were not written for. A grid that
 * lists none, and a side that no grid lists, are as they were.
 * @returns what is left, and why something is not
 */
export function keepGridSides(selections: readonly ScenarioSelection[]): {
  readonly selections: readonly ScenarioSelection[];
  readonly notes: readonly string[];
} {
  const notes: string[] = [];
  const listed = (name: string): ParameterValue[] =>
    selections.flatMap((selection) => sidesOf(selection, name) ?? []);
  const kept = selections.flatMap((selection) => {
    const { scenario, lists = {} } = selection;
    const narrowed: Record<string, readonly ParameterValue[]> = { ...lists };
    for (const [name, asked] of Object.entries(lists)) {
      const own = isSide(name, scenario.parameters[name]) ? sidesOf(selection, name) : undefined;
      if (!own) continue;
      const left = asked.filter((side) => own.includes(side) || !listed(name).includes(side));
      if (left.length === 0) {
        const grid = selection.grid ?? scenario.defaultGrid;
        notes.push(
          `${scenario.name} is left out: its grid "${grid}" has no --${name} ${asked.join(',')}; --scenario ${scenario.name} runs it all the same`,
        );
        return [];
      }
      narrowed[name] = left;
    }
    return [{ ...selection, lists: narrowed }];
  });
  return { selections: kept, notes };
}

/** The sides that a selection's grid lists; undefined when it lists none. */
function sidesOf({ scenario, grid }: ScenarioSelection, name: string): readonly ParameterValue[] | undefined {
  const { axes, points = [] } = requireGrid(scenario, grid ?? scenario.defaultGrid);
  const sides = [...(axes[name] ?? []), ...points.flatMap((point) => point[name] ?? [])];
  return sides.length > 0 ? sides : undefined;
}
