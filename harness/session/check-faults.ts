import { SquallError } from '../errors/index.ts';
import {
  checkFaultPlan,
  FAULT_REFERENCE,
  type FaultPlan,
  type PlannedBed,
  planFault,
} from '../fault/index.ts';
import { readImages } from '../image/index.ts';
import { type FaultStep, faultRequest, faultStepsAt, placeOfFault, type RunPlan } from '../scenario/index.ts';
import { restartPlan } from '../testnet/index.ts';
import type { ResolvedTopology } from '../topology/index.ts';
import { plannedBed } from './planned-bed.ts';

/**
 * Plans every fault of every point against its topology, as a bed would: unknown settings, links that cannot carry the
 * fault, nodes that cannot take it and selectors that match no node are refused before anything starts.
 * @throws SquallError `bad-fault`, `fault-unavailable`, `unknown-node`, `unknown-variant`, `zero-targets` (input), naming
 * scenario and point
 */
export function checkFaults(plan: RunPlan): void {
  const seen = new Set<string>();
  const beds = new Map<string, PlannedBed>();
  for (const { scenario, point, pointId, topology, shape, warp } of plan.points) {
    for (const step of faultStepsAt(scenario, point)) {
      const key = `${shape} ${warp} ${JSON.stringify(step)}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const bed = beds.get(shape) ?? plannedBed(topology, readImages());
      beds.set(shape, bed);
      try {
        const fault = planFault(bed, step.id ?? step.kind, faultRequest(step, 'plan', warp));
        checkFaultPlan(fault, bed);
        checkRestart(fault, topology);
      } catch (error) {
        if (!(error instanceof SquallError)) throw error;
        if (knowsOnlyTheBed(error, step)) continue;
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

/** A variant or an image to come back as must be one that there is. */
function checkRestart({ kind, settings, targets }: FaultPlan, { nodes }: ResolvedTopology): void {
  if (kind !== 'restart') return;
  const { variant, image } = settings;
  const as = {
    ...(variant !== '' && { variant: String(variant) }),
    ...(image !== '' && { image: String(image) }),
  };
  for (const node of nodes) if (targets.includes(node.name)) restartPlan(node, as, readImages());
}

/** Labels may come from a node's own `/state`; what they match is known on the bed alone. */
function knowsOnlyTheBed(error: SquallError, step: FaultStep): boolean {
  return error.code === 'zero-targets' && [step.on, step.from, step.to].some((text) => text?.includes('='));
}
