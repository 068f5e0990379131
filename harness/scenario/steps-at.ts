import { matchesPoint, type Point } from '../record/index.ts';
import { fillTemplate } from './template.ts';
import type { PhaseSpec, ScenarioSpec, Step } from './types.ts';

/** The steps of a phase that happen at a point, their templates filled in. */
export function stepsAt(scenario: Pick<ScenarioSpec, 'parameters'>, phase: PhaseSpec, point: Point): Step[] {
  return phase.steps
    .filter(({ when }) => matchesPoint(point, when))
    .map((step) => fillTemplate(step, scenario.parameters, point));
}
