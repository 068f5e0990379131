import type { FaultRequest } from '../fault/index.ts';
import type { Point } from '../record/index.ts';
import { parseDurationMs } from '../units/index.ts';
import { stepFaults } from './step-problems.ts';
import { stepsAt } from './steps-at.ts';
import type { FaultStep, ScenarioSpec } from './types.ts';

/**
 * The fault of a step of `stepsAt` as the fault board takes it; what is no part of every fault is a setting of its kind.
 * @throws Error when its `mustShow` is still a function: the step did not come from `stepsAt`, and its bound would be lost
 */
export function faultRequest(step: FaultStep, seed: string, warp: number): FaultRequest {
  const { kind, id, on, from, to, direction, protocol, ports, for: length, mustShow, ...settings } = step;
  if (typeof mustShow === 'function')
    throw new Error(
      `fault ${id ?? kind}: its mustShow is a function of the point; take the step from stepsAt`,
    );
  return {
    kind,
    ...(id !== undefined && { id }),
    ...(on !== undefined && { on }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(direction !== undefined && { direction }),
    ...(protocol !== undefined && { protocol }),
    ...(ports !== undefined && { ports }),
    ...(length !== undefined && { forMs: parseDurationMs(length) }),
    ...(mustShow !== undefined && { mustShow }),
    settings,
    seed,
    warp,
  };
}

/** Every fault that the scenario applies at a point, in order. */
export function faultStepsAt(scenario: ScenarioSpec, point: Point): FaultStep[] {
  return scenario.phases.flatMap((phase) => stepsAt(scenario, phase, point).flatMap(stepFaults));
}
