import { matchesPoint, type Point } from '../record/index.ts';
import { fillTemplate } from './template.ts';
import type { FaultStep, PhaseSpec, ScenarioSpec, Step } from './types.ts';

/** The steps of a phase that happen at a point, their templates filled in and their faults' bounds reckoned for it. */
export function stepsAt(scenario: Pick<ScenarioSpec, 'parameters'>, phase: PhaseSpec, point: Point): Step[] {
  return phase.steps
    .filter(({ when }) => matchesPoint(point, when))
    .map((step) => withBounds(fillTemplate(step, scenario.parameters, point), point));
}

function withBounds(step: Step, point: Point): Step {
  const bounded = (fault: FaultStep): FaultStep => {
    if (typeof fault.mustShow !== 'function') return fault;
    const { mustShow, ...rest } = fault;
    const bounds = mustShow(point);
    return bounds === undefined ? rest : { ...rest, mustShow: bounds };
  };
  if ('fault' in step) return { ...step, fault: bounded(step.fault) };
  return 'faults' in step ? { ...step, faults: step.faults.map(bounded) } : step;
}
