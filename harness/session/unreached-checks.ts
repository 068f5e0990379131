import { matchesPoint, type Point } from '../record/index.ts';
import { defaultPoint, expandGrid, type ResolvedScenario } from '../scenario/index.ts';

/**
 * Titles of a scenario's checks that are judged at no point of any of its grids, nor at its gate's, nor at those of its
 * mutants: a check that is never reached can never fail.
 */
export function unreachedChecks(scenario: ResolvedScenario): string[] {
  const defaults = defaultPoint(scenario.parameters);
  const claimed = (scenario.kills ?? []).flatMap((kill): Point[] => [
    { ...defaults, ...kill.point },
    { ...defaults, ...kill.point, variant: kill.mutant },
  ]);
  const points: Point[] = [
    ...Object.values(scenario.grids).flatMap((grid) => expandGrid(scenario, grid, {})),
    ...(scenario.gate ? [{ ...defaults, ...scenario.gate.point }] : []),
    ...claimed,
  ];
  return scenario.checks
    .filter((check) => !points.some((point) => matchesPoint(point, check.where)))
    .map((check) => check.title);
}
