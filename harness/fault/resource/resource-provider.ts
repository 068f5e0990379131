import { SquallError } from '../../errors/index.ts';
import type { FaultBedPort } from '../fault-bed-port.ts';
import { requireNode } from '../require-node.ts';
import { type FaultWork, TimedLease } from '../timed-lease.ts';
import type { FaultPlan, FaultProvider } from '../types.ts';
import { clockOffsetFault, noClock } from './clock-offset-fault.ts';
import { clockSupport } from './clock-support.ts';
import { diskFullFault } from './disk-full-fault.ts';
import { limitFault } from './limit-fault.ts';
import { whyNoNodeFiles } from './node-files.ts';

const LIFT_BUDGET_MS = 30_000;

/** Faults of resources: memory, processor, disk, clock. Read back from the kernel that this host shares with the nodes. */
export function resourceProvider(bed: FaultBedPort): FaultProvider {
  return {
    kinds: ['disk-full', 'memory-limit', 'cpu-quota', 'clock-offset'],
    check: (plan) => checkResourcePlan(plan, bed),
    lease: (plan) => new TimedLease(plan, workOf(plan, bed), { liftBudgetMs: LIFT_BUDGET_MS }),
  };
}

function workOf(plan: FaultPlan, bed: FaultBedPort): FaultWork {
  if (plan.kind === 'disk-full') return diskFullFault(plan, bed);
  return plan.kind === 'clock-offset' ? clockOffsetFault(plan, bed) : limitFault(plan, bed);
}

function checkResourcePlan(plan: FaultPlan, bed: FaultBedPort): void {
  if (plan.targets.length === 0) throw unavailable(plan, 'no targets; expected at least one node');
  if (bed.engine.info?.host !== 'this') {
    throw unavailable(plan, `the engine's kernel is not this host's; what it did could not be read back`);
  }
  if (plan.kind === 'disk-full') {
    const why = whyNoNodeFiles();
    if (why !== undefined) throw unavailable(plan, why);
  }
  if (plan.kind !== 'clock-offset') return;
  for (const name of plan.targets) {
    const support = clockSupport(requireNode(bed, name).pid);
    if ('why' in support) throw noClock(plan, name, support.why);
  }
}

function unavailable(plan: FaultPlan, why: string): SquallError {
  return new SquallError(`fault ${plan.id} (${plan.kind}): ${why}`, {
    code: 'fault-unavailable',
    blame: 'input',
  });
}
