import type { Point } from '../record/index.ts';
import type { TopologyOverrides } from '../topology/index.ts';
import { fillTemplate } from './template.ts';
import type { ScenarioSpec } from './types.ts';

/** What a point changes about its topology. A parameter `variant` of the scenario is the variant of its images. */
export function fillOverrides(scenario: ScenarioSpec, point: Point): TopologyOverrides {
  const { overrides, parameters } = scenario;
  const said =
    typeof overrides === 'function' ? overrides(point) : fillTemplate(overrides ?? {}, parameters, point);
  const variant = point['variant'];
  return said.variant === undefined && variant !== undefined ? { ...said, variant: String(variant) } : said;
}
