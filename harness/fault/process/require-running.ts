import type { ContainerState } from '../../engine/index.ts';
import { SquallError } from '../../errors/index.ts';
import type { FaultBedPort } from '../fault-bed-port.ts';
import { onEachNode } from '../on-each-node.ts';
import { requireNode } from '../require-node.ts';
import type { FaultPlan } from '../types.ts';
import { requireState } from './container-watch.ts';

/** States of all targets. @throws SquallError `node-not-running` when one is paused or not running, so that nothing could be shown */
export async function requireRunning(
  bed: FaultBedPort,
  plan: FaultPlan,
): Promise<ReadonlyMap<string, ContainerState>> {
  const { results } = await onEachNode(plan.targets, async (name) => {
    const state = await requireState(bed.engine, name, requireNode(bed, name).containerId);
    return [name, state] as const;
  });
  for (const [name, state] of results) {
    if (state.running && !state.paused) continue;
    throw new SquallError(
      `fault ${plan.id} (${plan.kind}): ${name} is ${state.paused ? 'paused' : 'not running'}; expected it to run`,
      { code: 'node-not-running', blame: 'void', hint: 'Lift the fault that is in force on it first.' },
    );
  }
  return new Map(results);
}
