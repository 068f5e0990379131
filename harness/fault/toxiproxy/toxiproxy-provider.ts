import { SquallError } from '../../errors/index.ts';
import type { FaultBedPort } from '../fault-bed-port.ts';
import type { PlannedBed } from '../planned-bed.ts';
import { requireNode } from '../require-node.ts';
import { TimedLease } from '../timed-lease.ts';
import type { FaultKind, FaultPlan, FaultProvider } from '../types.ts';
import type { RouteTable } from './route-table.ts';
import { ToxiproxyFault } from './toxiproxy-fault.ts';

/** Kinds that Toxiproxy makes. */
export const TOXIPROXY_KINDS = [
  'blackhole-stream',
  'blackhole-after',
  'refuse',
  'reset',
  'slow',
  'slice',
  'limit',
  'throttle',
  'stand-in',
] as const satisfies readonly FaultKind[];

/** Three calls a proxy at most, each on a deadline of 5 s; a server that needs that long is wedged. */
const LIFT_BUDGET_MS = 60_000;

/** Faults of streams, by Toxiproxy. */
export function toxiproxyProvider(bed: FaultBedPort, table: RouteTable): FaultProvider {
  return {
    kinds: TOXIPROXY_KINDS,
    check: (plan) => checkToxiproxyPlan(plan, bed),
    lease: (plan) =>
      new TimedLease(plan, new ToxiproxyFault(plan, bed, table), { liftBudgetMs: LIFT_BUDGET_MS }),
  };
}

/** Refuses what Toxiproxy cannot do, before anything starts. @throws SquallError `bad-fault`, `unknown-node` (input) */
export function checkToxiproxyPlan(plan: FaultPlan, bed: Pick<PlannedBed, 'nodes'>): void {
  if (plan.kind === 'stand-in') requireNode(bed, String(plan.settings.by));
  const problem = planProblem(plan);
  if (problem === undefined) return;
  throw new SquallError(`fault ${plan.id} (${plan.kind}): ${problem}`, { code: 'bad-fault', blame: 'input' });
}

function planProblem(plan: FaultPlan): string | undefined {
  if (plan.protocol !== 'tcp') return `Toxiproxy carries TCP only; it cannot disturb ${plan.protocol}`;
  if (plan.peers.length === 0) return 'no other end; give "to", the nodes that are connected to';
  if (plan.ports.length === 0) return 'no port; give the port that is connected to';
  if (plan.targets.every((target) => plan.peers.every((peer) => peer === target))) {
    return 'a node has no link to itself; expected at least one pair of different nodes';
  }
  const { averageBytes, variationBytes, byPort } = plan.settings;
  if (plan.kind === 'stand-in' && plan.ports.length > 1) return 'several ports; a node stands in for one';
  if (plan.kind === 'stand-in' && Number(byPort) + plan.peers.length - 1 > 65_535)
    return `byPort is ${byPort}; expected room for ${plan.peers.length} ports from there`;
  if (plan.kind === 'slice' && Number(variationBytes) >= Number(averageBytes)) {
    return `variationBytes is ${variationBytes}; expected less than averageBytes, ${averageBytes}`;
  }
  return undefined;
}
