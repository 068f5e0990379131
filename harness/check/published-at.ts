import { matchesPoint, type PlannedScenario, type Point, type PublishedValue } from '../record/index.ts';
import { parseDurationMs } from '../units/index.ts';

/**
 * Published values of a measure that stand beside one point: those whose place names every parameter that the scenario
 * varies or draws the measure over; one that names no warp stands beside every warp. A sum over many points, or an onset, is no value of a single point, and a value that an
 * aggregate shows is shown there.
 */
export function publishedAt(scenario: PlannedScenario, point: Point): PublishedValue[] {
  const elsewhere = new Set((scenario.aggregates ?? []).flatMap((spec) => spec.published ?? []));
  return scenario.published.filter((value) => {
    if (value.measure === undefined || elsewhere.has(value.id)) return false;
    const where = placeOf(value, scenario);
    return pinsAPoint(where, value.measure, scenario) && matchesPoint(point, where);
  });
}

/** Where a value was published, with durations in ms as points have them. */
export function placeOf(value: PublishedValue, scenario: PlannedScenario): Point {
  return Object.fromEntries(
    Object.entries(value.where ?? {}).map(([name, wanted]) => {
      const type = scenario.parameters?.find((one) => one.name === name)?.type;
      return [name, type === 'duration' && typeof wanted === 'string' ? parseDurationMs(wanted) : wanted];
    }),
  );
}

function pinsAPoint(where: Point, measure: string, scenario: PlannedScenario): boolean {
  const varied = Object.keys(scenario.points[0]?.point ?? {}).filter(
    (name) => new Set(scenario.points.map(({ point }) => point[name])).size > 1,
  );
  const drawn = scenario.plots
    .filter((plot) => plot.y === measure)
    .flatMap((plot) => [plot.x, plot.series, plot.facet].filter((name) => name !== undefined));
  return [...varied, ...drawn].every((name) => name === 'warp' || name in where);
}
