import type { PlannedPoint } from './plan-run.ts';
import { shortestTimeoutMs } from './trial-guard.ts';

/** A bed of so few nodes takes the host's CPUs for a moment only, whatever it does. */
const LIGHT_NODES = 20;
/** A system whose shortest timeout is this or more does not notice such a moment. */
const PATIENT_MS = 1_000;

/**
 * Whether the beds of a plan are so small, and their systems so patient, that they need not be kept out of each other's
 * critical windows. The host guard still watches every trial.
 */
export function areLight(points: readonly PlannedPoint[]): boolean {
  return points.every(isLight);
}

/** Whether a point's bed is small and its system patient. */
export function isLight({ topology, scenario, warp }: PlannedPoint): boolean {
  return topology.nodes.length <= LIGHT_NODES && shortestTimeoutMs(scenario, warp) >= PATIENT_MS;
}
