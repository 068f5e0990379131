import type { FaultRecord } from '../record/index.ts';
import { formatDurationMs } from '../units/index.ts';
import type { FaultInstants, FaultPlan } from './types.ts';

/** By so much a fault may outlast what it was to last; or by this share of that, where it is more. */
const LATE_MS = 1_000;
const LATE_SHARE = 0.05;

/** When a fault is to end: by its length or by the step that lifts it, whichever comes first; undefined when nothing says. */
export function dueOf(
  instants: FaultInstants | undefined,
  liftDueNs: number | undefined,
): number | undefined {
  const dues = [instants?.liftsAtNs, liftDueNs].filter((atNs) => atNs !== undefined);
  return dues.length === 0 ? undefined : Math.min(...dues);
}

/**
 * Why a trial is void whose fault was in force for longer than it was to be: what then happens is what a longer fault does.
 * A momentary fault has no length to outlast; it is never late.
 */
export function lateLift(
  { id, forMs }: Pick<FaultPlan, 'id' | 'forMs'>,
  instants: FaultInstants | undefined,
  { dueNs, liftedNs, endedNs = liftedNs }: Pick<FaultRecord, 'dueNs' | 'liftedNs' | 'endedNs'>,
): string | undefined {
  if (!instants || dueNs === undefined || endedNs === undefined) return undefined;
  const byLength = dueNs === instants.liftsAtNs;
  if (byLength && forMs === undefined) return undefined;
  const wantedMs = byLength ? Number(forMs) : Math.max(0, (dueNs - instants.appliedNs) / 1e6);
  const lateMs = (endedNs - dueNs) / 1e6;
  if (lateMs <= Math.max(LATE_MS, wantedMs * LATE_SHARE)) return undefined;
  return `fault ${id} was in force for ${formatDurationMs(wantedMs + lateMs)} in place of ${formatDurationMs(wantedMs)}`;
}
