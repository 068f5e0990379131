import { SquallError } from '../../errors/index.ts';
import type { FaultInstants, FaultLease, FaultProvider } from '../types.ts';
import type { PacketBed } from './packet-bed.ts';
import { PacketLease } from './packet-lease.ts';
import { measureSkew, PROBE_LEAD_MS } from './skew-probe.ts';
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
      for (const lease of packetLeases) lease.markArmed();
    },
    applyTogether: (leases, timing, signal) => applyAtOnce(bed, leases, timing, signal),
  };
}

/**
 * The agent flips all faults of one request at one instant. Several lengths are several requests, sent together, which
 * keeps them within a fraction of a millisecond.
 */
async function applyAtOnce(
  bed: PacketBed,
  leases: readonly FaultLease[],
  timing: { readonly afterMs?: number; readonly probePps?: number },
  signal: AbortSignal,
): Promise<readonly FaultInstants[]> {
  const packetLeases = leases.map(requirePacketLease);
  const { probePps } = timing;
  // A fault that is probed begins late enough for the probes to see its begin.
  const afterMs = probePps === undefined ? timing.afterMs : Math.max(timing.afterMs ?? 0, PROBE_LEAD_MS);
  const groups = groupByLength(packetLeases);
  const answers = await Promise.all(
    [...groups].map(async ([forMs, group]) => {
      const ids = group.map((lease) => lease.plan.id);
      const answer = await bed.agent.apply(
        ids,
        { ...(afterMs === undefined ? {} : { afterMs }), ...(forMs === undefined ? {} : { forMs }) },
        signal,
      );
      return group.map((lease) => {
        const instants = lease.markApplied(answer.atNs);
        if (probePps !== undefined) lease.accompany((ended) => measureSkew(lease, probePps, instants, ended));
        return [lease, instants] as const;
      });
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
