import { SquallError } from '../errors/index.ts';
import { FAULT_REFERENCE, planFault } from '../fault/index.ts';
import { stream } from '../random/index.ts';
import { type FaultStep, faultRequest, faultStepsAt, placeOfFault, type RunPlan } from '../scenario/index.ts';
import { type ResolvedTopology, select } from '../topology/index.ts';

/**
 * Plans every fault of every point against its topology, as a bed would: unknown settings, links that cannot carry the
 * fault and selectors that match no node are refused before anything starts.
 * @throws SquallError `bad-fault`, `zero-targets` (input), naming scenario and point
 */
export function checkFaults(plan: RunPlan): void {
  const seen = new Set<string>();
  for (const { scenario, point, pointId, topology, shape, warp } of plan.points) {
    for (const step of faultStepsAt(scenario, point)) {
      const key = `${shape} ${warp} ${JSON.stringify(step)}`;
      if (seen.has(key)) continue;
      seen.add(key);
      try {
        planFault(selecting(topology), step.id ?? step.kind, faultRequest(step, 'plan', warp));
      } catch (error) {
        if (!(error instanceof SquallError) || knowsOnlyTheBed(error, step)) continue;
        const place = placeOfFault(scenario, step);
        const subject = `scenario ${scenario.name} at ${pointId}${place ? ` (${place})` : ''}`;
        throw new SquallError(`${subject}: ${error.message}`, {
          code: error.code,
          blame: 'input',
          facts: error.facts,
          ...(error.hint !== undefined && error.code !== 'zero-targets' && { hint: error.hint }),
          cause: error.cause,
        });
      }
    }
  }
}

/** Whether some step of the plan needs the bed's Toxiproxy. */
export function needsToxiproxy(plan: RunPlan): boolean {
  return plan.points.some(({ scenario, point }) =>
    faultStepsAt(scenario, point).some(({ kind }) => FAULT_REFERENCE[kind].maker === 'toxiproxy'),
  );
}

function selecting(topology: ResolvedTopology) {
  return {
    select: (selector: string, seed: string) => select(selector, topology.nodes, stream(seed, 'targets')),
  };
}

/** Labels may come from a node's own `/state`; what they match is known on the bed alone. */
function knowsOnlyTheBed(error: SquallError, step: FaultStep): boolean {
  return error.code === 'zero-targets' && [step.on, step.from, step.to].some((text) => text?.includes('='));
}
