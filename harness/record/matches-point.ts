import type { ParameterValue, Point } from './types.ts';

/** Parameters with the value, or one of the values, that a point must have. */
export type PointFilter = Readonly<Record<string, ParameterValue | readonly ParameterValue[]>>;

/** Whether a point has, for each parameter named, the value or one of the values. No filter matches every point. */
export function matchesPoint(point: Point, where: PointFilter | undefined): boolean {
  return Object.entries(where ?? {}).every(([name, wanted]) => {
    const value = point[name];
    if (value === undefined) return false;
    return Array.isArray(wanted) ? wanted.includes(value) : value === wanted;
  });
}
