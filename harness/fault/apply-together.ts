import { setTimeout } from 'node:timers/promises';
import { combineErrors } from '../errors/index.ts';
import { monotonicNs } from './time-budget.ts';
import type { FaultInstants, FaultLease, FaultProvider } from './types.ts';

/** When faults begin, and whether it is measured how far apart their targets feel it. */
export interface ApplyTiming {
  readonly afterMs?: number;
  /** On CLOCK_MONOTONIC; wins over `afterMs`. In the past: at once. */
  readonly atNs?: number;
  /**
   * Probes a second out of each target (500 to 5,000) around apply and lift: the record then has the skew of packet
   * faults, first to last node. They cost the host as much as any other packets.
   */
  readonly probePps?: number;
}

/** Arms leases of one provider, in one go where it can. */
export async function armAll(
  provider: FaultProvider,
  leases: readonly FaultLease[],
  signal: AbortSignal,
): Promise<void> {
  if (provider.armTogether) return provider.armTogether(leases, signal);
  await settleAll(leases.map((lease) => lease.arm(signal)));
}

/** Applies leases of one provider at one instant; a provider that cannot schedule is called at the moment itself. */
export async function applyAll(
  provider: FaultProvider,
  leases: readonly FaultLease[],
  timing: ApplyTiming,
  signal: AbortSignal,
): Promise<readonly FaultInstants[]> {
  const afterMs =
    timing.atNs === undefined ? timing.afterMs : Math.max(0, (timing.atNs - monotonicNs()) / 1e6);
  if (provider.applyTogether) {
    const { probePps } = timing;
    const wanted = {
      ...(afterMs === undefined ? {} : { afterMs }),
      ...(probePps === undefined ? {} : { probePps }),
    };
    return provider.applyTogether(leases, wanted, signal);
  }
  if (afterMs !== undefined && afterMs > 0) await setTimeout(afterMs, undefined, { signal });
  return settleAll(leases.map((lease) => lease.apply(signal)));
}

/** The results of all, once each has ended: what still works when another was refused would work on after the undo. */
async function settleAll<T>(work: readonly Promise<T>[]): Promise<readonly T[]> {
  const results = await Promise.allSettled(work);
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (errors.length > 0) throw combineErrors('faults: not applied', errors);
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}
