import { createDecider, type Decide, judgeScenarioPoint, needsEvents, observeTrial } from '../check/index.ts';
import { matchesPoint, type PlannedScenario, type PlanRecord, type TrialRecord } from '../record/index.ts';
import type { PlannedPoint, TrialJudge } from '../scenario/index.ts';

/** The judging side as the runner sees it: early stop, and whether one trial shows a failure. */
export function trialJudge(plan: PlanRecord): TrialJudge {
  const deciders = new Map<PlannedPoint, Decide>();
  const scenarioOf = ({ scenario }: PlannedPoint): PlannedScenario | undefined =>
    plan.scenarios.find((one) => one.suite === scenario.suite && one.scenario === scenario.name);
  const wantsEvents = (scenario: PlannedScenario, { point }: PlannedPoint, trial: TrialRecord): boolean =>
    scenario.checks.some((spec) => matchesPoint(point, spec.where) && needsEvents(spec, trial));
  return {
    decide(point, trials) {
      let decide = deciders.get(point);
      if (!decide) {
        decide = createDecider({
          point: point.point,
          checks: point.scenario.checks,
          measures: point.scenario.measures,
          expectations: point.scenario.expect ?? [],
          enough: point.enough,
          planned: point.trials,
        });
        deciders.set(point, decide);
      }
      return decide(trials);
    },
    needsEvents(point, trial) {
      const scenario = scenarioOf(point);
      return scenario !== undefined && wantsEvents(scenario, point, trial);
    },
    failed(point, trial, events) {
      const scenario = scenarioOf(point);
      if (!scenario) return false;
      // A check that is shown no events where it needs them would take them for events that did not happen.
      const checks = events ? scenario.checks : scenario.checks.filter((spec) => !needsEvents(spec, trial));
      const planned = { point: point.point, pointId: point.pointId, trials: 1, estimatedMs: 0 };
      const result = judgeScenarioPoint({ ...scenario, checks }, planned, [trial], {
        observationOf: (spec, one) => observeTrial(spec, one, events ?? []),
        unfinished: 0,
      });
      return result.verdict === 'fail';
    },
  };
}
