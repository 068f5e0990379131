import { SquallError } from '../../errors/index.ts';
import type { FaultInstants, FaultLease, FaultProvider } from '../types.ts';
import type { PacketBed } from './packet-bed.ts';
import { PacketLease } from './packet-lease.ts';
import { checkPacketPlan, PACKET_KINDS } from './wire-fault.ts';

/** Faults of packets: hold, drop, loss, delay, duplicate, reorder, corrupt, rate, connect black hole. */
export function packetProvider(bed: PacketBed): FaultProvider {
  return {
    kinds: PACKET_KINDS,
    check: checkPacketPlan,
    lease: (plan) => new PacketLease(plan, bed),
    armTogether: async (leases, signal) => {
      const packetLeases = leases.map(requirePacketLease);
      for (const lease of packetLeases) lease.markArming();
      await bed.agent.arm(
        packetLeases.map((lease) => lease.wire()),
        signal,
      );
    },
    applyTogether: (leases, timing, signal) => applyAtOnce(bed, leases, timing, signal),
  };
}

/**
 * One request for each length among the leases (the agent flips all faults of a request at once). Several lengths are
 * several requests, scheduled ahead for the same instant.
 */
async function applyAtOnce(
  bed: PacketBed,
  leases: readonly FaultLease[],
  timing: { readonly afterMs?: number },
  signal: AbortSignal,
): Promise<readonly FaultInstants[]> {
  const packetLeases = leases.map(requirePacketLease);
  const groups = groupByLength(packetLeases);
  const answers = await Promise.all(
    [...groups].map(async ([forMs, group]) => {
      const ids = group.map((lease) => lease.plan.id);
      const answer = await bed.agent.apply(
        ids,
        { ...timing, ...(forMs === undefined ? {} : { forMs }) },
        signal,
      );
      return group.map((lease) => [lease, lease.markApplied(answer.atNs)] as const);
    }),
  );
  const instants = new Map<FaultLease, FaultInstants>(answers.flat());
  return leases.map((lease) => instants.get(lease) as FaultInstants);
}

function groupByLength(leases: readonly PacketLease[]): Map<number | undefined, PacketLease[]> {
  const groups = new Map<number | undefined, PacketLease[]>();
  for (const lease of leases) {
    groups.set(lease.plan.forMs, [...(groups.get(lease.plan.forMs) ?? []), lease]);
  }
  return groups;
}

function requirePacketLease(lease: FaultLease): PacketLease {
  if (lease instanceof PacketLease) return lease;
  throw new SquallError(`fault ${lease.plan.id}: is not one of the packet agent`, { code: 'wrong-provider' });
}
