import { SquallError } from '../../errors/index.ts';
import type { FaultBedPort } from '../fault-bed-port.ts';
import type { PlannedBed, PlannedNode } from '../planned-bed.ts';
import { requireNode } from '../require-node.ts';
import { type FaultWork, TimedLease } from '../timed-lease.ts';
import type { FaultKind, FaultPlan, FaultProvider } from '../types.ts';
import { clockOffsetFault, noClock } from './clock-offset-fault.ts';
import { clockSupport } from './clock-support.ts';
import { diskFullFault } from './disk-full-fault.ts';
import { limitFault } from './limit-fault.ts';
import { pathParts, whyNoNodeFiles } from './node-files.ts';

export const RESOURCE_KINDS = [
  'disk-full',
  'memory-limit',
  'cpu-quota',
  'clock-offset',
] as const satisfies readonly FaultKind[];

/** What every container has of its own in memory, besides what its topology gives it. */
const ALWAYS_TMPFS = ['/dev'];

const LIFT_BUDGET_MS = 30_000;

/** Faults of resources: memory, processor, disk, clock. Read back from the kernel that this host shares with the nodes. */
export function resourceProvider(bed: FaultBedPort): FaultProvider {
  return {
    kinds: RESOURCE_KINDS,
    check: (plan) => checkOnBed(plan, bed),
    lease: (plan) => new TimedLease(plan, workOf(plan, bed), { liftBudgetMs: LIFT_BUDGET_MS }),
  };
}

function workOf(plan: FaultPlan, bed: FaultBedPort): FaultWork {
  if (plan.kind === 'disk-full') return diskFullFault(plan, bed);
  return plan.kind === 'clock-offset' ? clockOffsetFault(plan, bed) : limitFault(plan, bed);
}

/** Refuses nodes that cannot take it by what they are made of. @throws SquallError `fault-unavailable` (input) */
export function checkResourcePlan(plan: FaultPlan, bed: Pick<PlannedBed, 'nodes'>): void {
  if (plan.targets.length === 0) throw unavailable(plan, 'no targets; expected at least one node');
  for (const name of plan.targets) {
    const node = requireNode(bed, name);
    const why = node.cannot?.[plan.kind];
    if (why !== undefined)
      throw plan.kind === 'clock-offset' ? noClock(plan, name, why) : unavailable(plan, `${name}: ${why}`);
    if (plan.kind === 'disk-full') refuseDisk(plan, node);
  }
}

function refuseDisk(plan: FaultPlan, { name, tmpfs }: PlannedNode): void {
  const path = String(plan.settings.path);
  const parts = pathParts(path);
  if (!parts) throw unavailable(plan, `${name}: path ${path}: expected an absolute path without ..`);
  if (!tmpfs) return;
  const whole = `/${parts.join('/')}`;
  const isIn = (folder: string): boolean => whole === folder || whole.startsWith(`${folder}/`);
  if ([...tmpfs, ...ALWAYS_TMPFS].some(isIn)) return;
  throw new SquallError(
    `fault ${plan.id} (disk-full): ${name}: ${path} is no tmpfs; a real disk is never filled`,
    {
      code: 'fault-unavailable',
      blame: 'input',
      hint: 'Give the node a tmpfs with a size in the topology (resources: tmpfs), which lies at /data.',
    },
  );
}

function checkOnBed(plan: FaultPlan, bed: FaultBedPort): void {
  checkResourcePlan(plan, bed);
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
