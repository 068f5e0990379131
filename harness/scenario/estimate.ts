import type { Point } from '../record/index.ts';
import { parseDurationMs } from '../units/index.ts';
import { stepFaults } from './step-problems.ts';
import { stepsAt } from './steps-at.ts';
import { quietMsOf } from './timeline.ts';
import type { ScenarioSpec } from './types.ts';

/** What a trial and its bed cost. Figures of the reference machine (2 cores) until earlier records correct them. */
export interface CostModel {
  readonly startMsPerNode: number;
  readonly removeMsPerNode: number;
  readonly resetMsPerNode: number;
  /** From a node's readiness until the nodes have found each other. */
  readonly settleMsPerNode: number;
  /** Verifying and writing, whatever the size. */
  readonly trialOverheadMs: number;
  /** How much of an `until` step's limit passes as a rule. */
  readonly untilShare: number;
  readonly memoryBytesPerNode: number;
  readonly diskBytesPerNodeSecond: number;
}

export const REFERENCE_COSTS: CostModel = {
  startMsPerNode: 190,
  removeMsPerNode: 90,
  resetMsPerNode: 15,
  settleMsPerNode: 30,
  trialOverheadMs: 2_000,
  untilShare: 0.1,
  memoryBytesPerNode: 22 * 1024 ** 2,
  diskBytesPerNodeSecond: 600,
};

/** Real ms of a trial at a point in which beds that are kept apart leave each other alone. */
export function estimateQuietMs(scenario: ScenarioSpec, point: Point, warp: number): number {
  const steps = scenario.phases.flatMap((phase) => stepsAt(scenario, phase, point));
  return quietMsOf(steps, warp);
}

/** Real milliseconds that the phases of one trial take at a point. */
export function estimatePhasesMs(
  scenario: ScenarioSpec,
  point: Point,
  warp: number,
  costs: CostModel = REFERENCE_COSTS,
): number {
  let totalMs = 0;
  for (const phase of scenario.phases) {
    for (const step of stepsAt(scenario, phase, point)) {
      if ('run' in step) {
        totalMs += parseDurationMs(step.takes?.(point) ?? '0');
        continue;
      }
      if ('wait' in step) totalMs += parseDurationMs(step.wait);
      if ('until' in step) totalMs += parseDurationMs(step.within) * costs.untilShare;
      if (!('background' in step && step.background)) {
        const lengths = stepFaults(step).map((fault) => parseDurationMs(fault.for ?? '0'));
        totalMs += Math.max(0, ...lengths);
      }
    }
  }
  return totalMs / warp;
}

/** What is planned, before anything starts. */
export interface PlanEstimate {
  readonly trials: number;
  readonly beds: number;
  readonly largestBedNodes: number;
  readonly durationMs: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
}

/** What an estimate needs to know of a point. */
export interface EstimatedPoint {
  readonly trials: number;
  readonly nodes: number;
  readonly trialMs: number;
  readonly freshBed: boolean;
  /** Of those that light beds, besides the others, take. */
  readonly light?: boolean;
  /** Real ms of a trial that must not fall into another bed's; absent where beds are not kept apart. */
  readonly quietMs?: number;
}

/**
 * Adds up a plan's points over beds that run side by side.
 * @param lightBeds beds besides these, for light points alone
 */
export function estimateRun(
  points: readonly EstimatedPoint[],
  parallelBeds: number,
  costs: CostModel = REFERENCE_COSTS,
  lightBeds = 0,
): PlanEstimate {
  const light = points.filter((point) => point.light);
  const lightAtOnce = Math.min(
    lightBeds,
    sumOf(light, ({ trials }) => trials),
  );
  const trials = sumOf(points, (point) => point.trials);
  const largestBedNodes = Math.max(0, ...points.map((point) => point.nodes));
  const bedsAtOnce = Math.min(parallelBeds, Math.max(1, trials));
  const bedMs = (nodes: number): number => nodes * (costs.startMsPerNode + costs.removeMsPerNode);
  let beds = 0;
  let workMs = 0;
  let heavyMs = 0;
  let apartMs = 0;
  let diskBytes = 0;
  for (const point of points) {
    const prepareMs = point.freshBed
      ? bedMs(point.nodes)
      : point.nodes * (costs.resetMsPerNode + costs.settleMsPerNode);
    if (point.freshBed) beds += point.trials;
    const pointMs = point.trials * (prepareMs + point.trialMs + costs.trialOverheadMs);
    workMs += pointMs;
    if (!point.light) heavyMs += pointMs;
    if (point.quietMs !== undefined) apartMs += point.trials * (prepareMs + point.quietMs);
    diskBytes += (point.trials * point.nodes * costs.diskBytesPerNodeSecond * point.trialMs) / 1_000;
  }
  const sizesOf = (some: readonly EstimatedPoint[]): readonly number[] => [
    ...new Set(some.filter((point) => !point.freshBed).map((point) => point.nodes)),
  ];
  const [sizes, lightSizes] = [sizesOf(points), sizesOf(light)];
  beds += sizes.length * bedsAtOnce + lightSizes.length * lightAtOnce;
  const startMs = sumOf(sizes, bedMs) * bedsAtOnce + sumOf(lightSizes, bedMs) * lightAtOnce;
  const lightBedNodes = Math.max(0, ...light.map((point) => point.nodes));
  return {
    trials,
    beds,
    largestBedNodes,
    // Beds start one after another; what follows overlaps but for the critical windows, and light beds take none of what is heavy.
    durationMs: startMs + Math.max(apartMs, heavyMs / bedsAtOnce, workMs / (bedsAtOnce + lightAtOnce)),
    memoryBytes: (bedsAtOnce * largestBedNodes + lightAtOnce * lightBedNodes) * costs.memoryBytesPerNode,
    diskBytes,
  };
}

function sumOf<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}
