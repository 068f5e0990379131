import type { Point } from '../record/index.ts';
import { parseDurationMs } from '../units/index.ts';
import { stepFaults } from './step-problems.ts';
import { stepsAt } from './steps-at.ts';
import type { ScenarioSpec } from './types.ts';

/** Beyond the longest that the steps themselves may take: arming, verifying, writing. */
const SLACK_MS = 90_000;

/** How long a trial may take, in real ms, waiting for other beds not counted: as stated, or all its steps at their longest. */
export function trialBudgetMs(scenario: ScenarioSpec, point: Point, warp: number): number {
  if (scenario.timeBudget !== undefined) return parseDurationMs(scenario.timeBudget);
  let longestMs = 0;
  for (const phase of scenario.phases) {
    for (const step of stepsAt(scenario, phase, point)) {
      if ('run' in step || 'do' in step) {
        longestMs += SLACK_MS;
        continue;
      }
      if ('wait' in step) longestMs += parseDurationMs(step.wait);
      if ('until' in step) longestMs += parseDurationMs(step.within);
      longestMs += Math.max(0, ...stepFaults(step).map((fault) => parseDurationMs(fault.for ?? '0')));
    }
  }
  return longestMs / warp + SLACK_MS;
}
