import { matchesPoint, type Point } from '../record/index.ts';
import { defaultPoint, expandGrid, type ResolvedScenario } from '../scenario/index.ts';

/** All points that a scenario can be run at without naming values: of its grids, its gate's, and those of its mutants. */
export function pointsOfScenario(scenario: ResolvedScenario): Point[] {
  const defaults = defaultPoint(scenario.parameters);
  return [
    ...Object.values(scenario.grids).flatMap((grid) => expandGrid(scenario, grid, {})),
    ...(scenario.gate ? [{ ...defaults, ...scenario.gate.point }] : []),
    ...(scenario.kills ?? []).flatMap((kill): Point[] => [
      { ...defaults, ...kill.point },
      { ...defaults, ...kill.point, variant: kill.mutant },
    ]),
  ];
}

/**
 * Titles of a scenario's checks that are judged at no point of any of its grids, nor at its gate's, nor at those of its
 * mutants: a check that is never reached can never fail.
 */
export function unreachedChecks(scenario: ResolvedScenario): string[] {
  const points = pointsOfScenario(scenario);
  return scenario.checks
    .filter((check) => !points.some((point) => matchesPoint(point, check.where)))
    .map((check) => check.title);
}
