import type { Point } from '../record/index.ts';
import { defaultPoint, formatParameter } from './parameter.ts';
import type { ParameterSpec, ScenarioSpec } from './types.ts';

/** Longest point id; file systems take 255 bytes a name. */
const MAX_LENGTH = 180;

/**
 * Directory-safe name of a point, e.g. `cutoff=8,outage=40s,variant=shipped`: the parameters that some grid of the
 * scenario has several values for, and those that differ from their default; sides to compare come last.
 */
export function pointId(scenario: Pick<ScenarioSpec, 'parameters' | 'grids'>, point: Point): string {
  const defaults = defaultPoint(scenario.parameters);
  const varied = new Set(
    Object.values(scenario.grids).flatMap((grid) =>
      Object.keys(grid.axes).filter((name) => (grid.axes[name]?.length ?? 0) > 1),
    ),
  );
  const parts = Object.entries(scenario.parameters)
    .filter(([name]) => varied.has(name) || point[name] !== defaults[name])
    .sort(([a, specA], [b, specB]) => Number(isSide(a, specA)) - Number(isSide(b, specB)))
    .map(([name, spec]) => `${safe(name)}=${safe(formatParameter(spec, point[name] ?? spec.default))}`);
  return (parts.join(',') || 'default').slice(0, MAX_LENGTH);
}

/** The point without what the two sides of a comparison differ in, so that all sides get the same seeds. */
export function pairedId(parameters: Readonly<Record<string, ParameterSpec>>, point: Point): string {
  return Object.entries(parameters)
    .filter(([name, spec]) => !isSide(name, spec))
    .map(([name, spec]) => `${name}=${formatParameter(spec, point[name] ?? spec.default)}`)
    .join(',');
}

/** The point without its sides. */
export function pairedPoint(parameters: Readonly<Record<string, ParameterSpec>>, point: Point): Point {
  return Object.fromEntries(Object.entries(point).filter(([name]) => !isSide(name, parameters[name])));
}

function safe(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._-]/g, '_');
}

/** Whether a parameter's values are sides to compare. */
export function isSide(name: string, spec: ParameterSpec | undefined): boolean {
  return spec?.side ?? name === 'variant';
}
