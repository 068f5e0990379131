import type { FaultRecord } from '../record/index.ts';
import { formatDurationMs } from '../units/index.ts';
import type { FaultInstants, FaultPlan } from './types.ts';

/** By so much a fault may outlast its length; or by this share of it, where that is more. */
const LATE_MS = 1_000;
const LATE_SHARE = 0.05;

/**
 * Why a trial is void whose fault was in force for longer than it was to be: a host that lets the harness wait ends faults late,
 * and what then happens is what a longer fault does.
 */
export function lateLift(
  { id, forMs }: Pick<FaultPlan, 'id' | 'forMs'>,
  instants: FaultInstants | undefined,
  { liftedNs }: Pick<FaultRecord, 'liftedNs'>,
): string | undefined {
  if (forMs === undefined || instants?.liftsAtNs === undefined || liftedNs === undefined) return undefined;
  const lateMs = (liftedNs - instants.liftsAtNs) / 1e6;
  if (lateMs <= Math.max(LATE_MS, forMs * LATE_SHARE)) return undefined;
  return `fault ${id} was in force for ${formatDurationMs(forMs + lateMs)} in place of ${formatDurationMs(forMs)}: the host was late`;
}
