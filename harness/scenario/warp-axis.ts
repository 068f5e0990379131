import { SquallError } from '../errors/index.ts';
import type { Point } from '../record/index.ts';
import type { ParameterLists } from './grid.ts';
import type { ResolvedScenario } from './resolve-scenario.ts';
import type { ParameterSpec } from './types.ts';

/** As a side: all warps of a point draw the same seeds and run next to each other. */
const WARP: ParameterSpec = {
  type: 'number',
  description: 'times faster than real time',
  default: 1,
  minimum: 1,
  side: true,
};

/** A scenario and the lists of its points, with an axis `warp` when there are several; with one, every point runs at it. */
export function addWarpAxis(
  scenario: ResolvedScenario,
  lists: ParameterLists,
  warps: readonly number[],
): { readonly scenario: ResolvedScenario; readonly lists: ParameterLists } {
  if (warps.length < 2) return { scenario, lists };
  return {
    scenario: { ...scenario, parameters: { ...scenario.parameters, warp: WARP } },
    lists: { ...lists, warp: warps },
  };
}

/** How many times faster than real time a point runs: its own warp where the plan has several, else the only one. */
export function warpOf(point: Point, warps: readonly number[]): number {
  const own = point['warp'];
  return typeof own === 'number' ? own : (warps[0] ?? 1);
}

/** @throws SquallError `warp-refused` (input) for a warp that the scenario does not allow */
export function refuseWarp(scenario: ResolvedScenario, warp: number): void {
  if (warp === 1) return;
  const ceiling = scenario.warp?.ceiling ?? 1;
  if (warp > ceiling || warp < 1) {
    throw new SquallError(
      `scenario ${scenario.name}: warp ${warp} refused; ${
        scenario.warp
          ? `its control ("${scenario.warp.control}") allows up to ${ceiling}`
          : 'it has no control at warp 1, so it runs at real speed only'
      }.`,
      {
        code: 'warp-refused',
        blame: 'input',
        hint: 'Run it with a smaller --warp, or leave it out with --scenario.',
      },
    );
  }
}
