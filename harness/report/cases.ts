import {
  formatParameter,
  type PlannedScenario,
  type PlanRecord,
  type Point,
  type PointResult,
} from '../record/index.ts';

/** The scenario that a point belongs to, as planned. */
export function scenarioOf(
  plan: PlanRecord,
  point: Pick<PointResult, 'suite' | 'scenario'>,
): PlannedScenario | undefined {
  return plan.scenarios.find((one) => one.suite === point.suite && one.scenario === point.scenario);
}

/** Parameters that differ between the points of a scenario, in the order of their declaration: the axes of its tables. */
export function axesOf(
  points: readonly Pick<PointResult, 'point'>[],
  scenario: PlannedScenario | undefined,
): string[] {
  const names = [...new Set(points.flatMap(({ point }) => Object.keys(point)))];
  const order = (scenario?.parameters ?? []).map((parameter) => parameter.name);
  const place = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return names
    .filter((name) => new Set(points.map(({ point }) => point[name])).size > 1)
    .sort((a, b) => place(a) - place(b));
}

/** Parameters that are the same at all points, as text: `size 128 · watch 90 s`. */
export function constantsOf(
  points: readonly Pick<PointResult, 'point'>[],
  scenario: PlannedScenario | undefined,
): string {
  const axes = new Set(axesOf(points, scenario));
  const first = points[0]?.point ?? {};
  return Object.keys(first)
    .filter((name) => !axes.has(name))
    .map((name) => `${name} ${parameterText(first, name, scenario)}`)
    .join(' · ');
}

export function parameterText(point: Point, name: string, scenario: PlannedScenario | undefined): string {
  const value = point[name];
  if (value === undefined) return '–';
  return formatParameter(
    value,
    scenario?.parameters?.find((parameter) => parameter.name === name),
  );
}

/** The line that a point is on: its value of the series, and its warp where the points have several. */
export function seriesText(
  point: Point,
  series: string | undefined,
  scenario: PlannedScenario | undefined,
): string {
  const own = series === undefined ? [] : [parameterText(point, series, scenario)];
  const warp = 'warp' in point && series !== 'warp' ? [`warp ${point['warp']}`] : [];
  return [...own, ...warp].join(', ');
}

/** A point by its axes: `8 · 40 s · shipped`. */
export function pointText(
  point: Point,
  axes: readonly string[],
  scenario: PlannedScenario | undefined,
): string {
  if (axes.length === 0) return 'the only point';
  return axes.map((name) => parameterText(point, name, scenario)).join(' · ');
}
