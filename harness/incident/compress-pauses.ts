import type { Happening, IncidentAction } from './types.ts';

export interface Compressed {
  readonly happenings: readonly Happening[];
  /** From the start to the end of the last entry, before and after. */
  readonly beforeMs: number;
  readonly afterMs: number;
  readonly pauses: number;
}

/** Before the first entry nothing has happened yet; the bed is warmed up, and this is enough to arm a fault. */
const LEAD_MS = 2_000;

/**
 * Shortens the stretches in which nothing happens and no fault is in force: to `idleMs` each, and to 2 s before the first
 * entry. Faults keep their length; so does a pause before an entry that says `keep`. Where an infinite `idleMs` is given,
 * nothing is shortened.
 */
export function compressPauses(happenings: readonly Happening[], idleMs: number): Compressed {
  const sorted = [...happenings].sort((a, b) => a.atMs - b.atMs);
  const beforeMs = Math.max(0, ...sorted.map((one) => endOf(one, sorted)));
  if (!Number.isFinite(idleMs)) return { happenings: sorted, beforeMs, afterMs: beforeMs, pauses: 0 };
  let busyUntilMs = 0;
  let cutMs = 0;
  let pauses = 0;
  const moved = sorted.map((one, index) => {
    const pauseMs = Math.max(0, one.atMs - busyUntilMs);
    const allowedMs = index === 0 ? Math.min(idleMs, LEAD_MS) : idleMs;
    if (pauseMs > allowedMs && !one.keep) {
      cutMs += pauseMs - allowedMs;
      pauses += 1;
    }
    busyUntilMs = Math.max(busyUntilMs, endOf(one, sorted));
    return { ...one, atMs: one.atMs - cutMs };
  });
  return { happenings: moved, beforeMs, afterMs: beforeMs - cutMs, pauses };
}

/** When the fault of a happening is over: by its length, by what lifts it, or (never lifted) at once, for what pauses mean. */
function endOf(one: Happening, all: readonly Happening[]): number {
  const { action, atMs } = one;
  if (action.verb !== 'fault') return atMs;
  if (action.forMs !== undefined) return atMs + action.forMs;
  const lift = all.find(
    (other) => other.atMs >= atMs && other.action.verb === 'lift' && lifts(other.action, faultId(one)),
  );
  return lift?.atMs ?? atMs;
}

function lifts(action: Extract<IncidentAction, { verb: 'lift' }>, id: string): boolean {
  return action.id === '*' || action.id === id;
}

/** The id under which a happening's fault runs. */
export function faultId(one: Happening): string {
  return one.action.verb === 'fault' ? (one.action.fault.id ?? one.id) : one.id;
}
