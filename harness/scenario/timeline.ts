import { parseDurationMs } from '../units/index.ts';
import type { Margins } from './quiet-windows.ts';
import { stepFaults } from './step-problems.ts';
import type { Step } from './types.ts';

/** Around the instant at which a fault bites: the host must be quiet a little before, and while nodes notice. */
const APPLY_MARGINS: Margins = { beforeMs: 1_000, afterMs: 3_000 };
/** Around its release: what late packets and overdue timers do happens in the seconds after it (unwarped). */
const RELEASE_MARGINS: Margins = { beforeMs: 1_000, afterMs: 10_000 };

export interface TimelineInstant {
  /** Real ms after the first of them. */
  readonly atMs: number;
  readonly margins: Margins;
}

/**
 * When faults bite and are released from a fault step on, as far as that is known beforehand: up to the first step that
 * waits for something else than time. The whole timeline is booked at once, so that no gap between its faults is
 * stretched by waiting for another bed.
 */
export function timelineFrom(steps: readonly Step[], warp: number): TimelineInstant[] {
  const realMs = (text: string): number => parseDurationMs(text) / warp;
  const release: Margins = { ...RELEASE_MARGINS, afterMs: RELEASE_MARGINS.afterMs / warp };
  const instants: TimelineInstant[] = [];
  let atMs = 0;
  for (const step of timedSteps(steps)) {
    if ('wait' in step) atMs += realMs(step.wait);
    if ('lift' in step) instants.push({ atMs, margins: release });
    const faults = stepFaults(step);
    if (faults.length === 0) continue;
    instants.push({ atMs, margins: APPLY_MARGINS });
    const lengthsMs = faults.flatMap((fault) => (fault.for === undefined ? [] : [realMs(fault.for)]));
    for (const lengthMs of new Set(lengthsMs)) instants.push({ atMs: atMs + lengthMs, margins: release });
    if (!('background' in step && step.background)) atMs += Math.max(0, ...lengthsMs);
  }
  return instants;
}

/** The steps up to the first that waits for something else than time. */
export function timedSteps(steps: readonly Step[]): readonly Step[] {
  const end = steps.findIndex((step) => 'until' in step || 'do' in step || 'run' in step);
  return end < 0 ? steps : steps.slice(0, end);
}

/** Real ms that steps take which wait for nothing but time. */
function lengthMs(steps: readonly Step[], warp: number): number {
  return steps.reduce((totalMs, step) => {
    if ('wait' in step) return totalMs + parseDurationMs(step.wait) / warp;
    if ('background' in step && step.background) return totalMs;
    const lengthsMs = stepFaults(step).map((fault) => parseDurationMs(fault.for ?? '0') / warp);
    return totalMs + Math.max(0, ...lengthsMs);
  }, 0);
}

/**
 * Real ms of a trial during which no other bed may disturb it: what it books while its steps go by. What has not passed at its
 * end is given back, as far as its end is known beforehand.
 */
export function quietMsOf(steps: readonly Step[], warp: number): number {
  let totalMs = 0;
  for (let at = 0; at < steps.length; ) {
    const fromHere = steps.slice(at);
    const [step] = fromHere;
    if (!step || stepFaults(step).length === 0) {
      at += 1;
      continue;
    }
    const timed = timedSteps(fromHere);
    const endMs = timed.length === fromHere.length ? lengthMs(timed, warp) : Number.POSITIVE_INFINITY;
    let coveredMs = Number.NEGATIVE_INFINITY;
    for (const { atMs, margins } of timelineFrom(fromHere, warp).sort((a, b) => a.atMs - b.atMs)) {
      const [fromMs, toMs] = [
        Math.max(coveredMs, atMs - margins.beforeMs),
        Math.min(endMs, atMs + margins.afterMs),
      ];
      totalMs += Math.max(0, toMs - fromMs);
      coveredMs = Math.max(coveredMs, toMs);
    }
    at += timed.length;
  }
  return totalMs;
}
