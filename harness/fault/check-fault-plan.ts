import { SquallError } from '../errors/index.ts';
import { checkPacketPlan, PACKET_KINDS } from './packet/wire-fault.ts';
import type { PlannedBed } from './planned-bed.ts';
import { checkProcessPlan, PROCESS_KINDS } from './process/process-provider.ts';
import { checkResourcePlan, RESOURCE_KINDS } from './resource/resource-provider.ts';
import { checkStormPlan, STORM_KINDS } from './storm/storm-provider.ts';
import { checkToxiproxyPlan, TOXIPROXY_KINDS } from './toxiproxy/toxiproxy-provider.ts';
import type { FaultKind, FaultPlan } from './types.ts';

type PlanCheck = (plan: FaultPlan, bed: PlannedBed) => void;

const CHECKS: readonly (readonly [readonly FaultKind[], PlanCheck])[] = [
  [PACKET_KINDS, checkPacketPlan],
  [PROCESS_KINDS, checkProcessPlan],
  [TOXIPROXY_KINDS, checkToxiproxyPlan],
  [RESOURCE_KINDS, checkResourcePlan],
  [STORM_KINDS, checkStormPlan],
];

/**
 * Refuses what its maker cannot do, as far as that is known while no node runs yet. A bed asks its providers, which check
 * the same and what only living nodes can tell.
 * @throws SquallError `bad-fault`, `fault-unavailable`, `unknown-node` (input)
 */
export function checkFaultPlan(plan: FaultPlan, bed: PlannedBed): void {
  const check = CHECKS.find(([kinds]) => kinds.includes(plan.kind))?.[1];
  if (!check) throw new SquallError(`fault ${plan.kind}: no maker checks it`, { code: 'unchecked-fault' });
  check(plan, bed);
}
