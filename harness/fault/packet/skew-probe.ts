import { setTimeout } from 'node:timers/promises';
import { describeError, SquallError } from '../../errors/index.ts';
import { monotonicNs } from '../time-budget.ts';
import type { FaultInstants } from '../types.ts';
import type { PacketLease } from './packet-lease.ts';

/** Probing begins this long before the instant that it watches, and goes on as long after it. */
const AROUND_MS = 250;

/** Time that a scheduled fault needs so that probing can begin before it. */
export const PROBE_LEAD_MS = AROUND_MS;

/**
 * Measures, by probes of the agent through each target's own queue, how far apart the targets feel the begin and the
 * end of a fault. Runs beside the fault; what cannot be measured is a note in the record, never an error.
 */
export async function measureSkew(
  lease: PacketLease,
  ratePps: number,
  instants: FaultInstants,
  ended: AbortSignal,
): Promise<void> {
  await around(lease, ratePps, instants.appliedNs, 'applyFirstToLastNs', ended);
  if (instants.liftsAtNs !== undefined) {
    await around(lease, ratePps, instants.liftsAtNs, 'liftFirstToLastNs', ended);
  }
}

async function around(
  lease: PacketLease,
  ratePps: number,
  atNs: number,
  edge: 'applyFirstToLastNs' | 'liftFirstToLastNs',
  ended: AbortSignal,
): Promise<void> {
  const { agent, plan } = lease;
  try {
    const waitMs = (atNs - monotonicNs()) / 1e6 - AROUND_MS;
    if (waitMs > 0) await setTimeout(waitMs, undefined, { signal: ended });
    const forMs = Math.max(AROUND_MS, (atNs - monotonicNs()) / 1e6 + AROUND_MS);
    const answer = await agent.probe({ nodes: plan.targets, ids: [plan.id], ratePps, forMs });
    const skewNs = answer[edge];
    if (skewNs === undefined)
      throw new SquallError('no probe of some node saw both sides of it', { code: 'skew-unseen' });
    lease.skewed(edge === 'applyFirstToLastNs' ? { applySkewNs: skewNs } : { liftSkewNs: skewNs });
  } catch (error) {
    lease.note(
      `skew of the ${edge === 'applyFirstToLastNs' ? 'begin' : 'end'} not measured: ${describeError(error)}`,
    );
  }
}
