import { createDecider, type Decide, judgeScenarioPoint, observeTrial } from '../check/index.ts';
import type { PlanRecord } from '../record/index.ts';
import type { PlannedPoint, TrialJudge } from '../scenario/index.ts';

/** The judging side as the runner sees it: early stop, and whether one trial shows a failure. */
export function trialJudge(plan: PlanRecord): TrialJudge {
  const deciders = new Map<PlannedPoint, Decide>();
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
    failed(point, trial) {
      const scenario = plan.scenarios.find(
        (one) => one.suite === point.scenario.suite && one.scenario === point.scenario.name,
      );
      if (!scenario) return false;
      const planned = { point: point.point, pointId: point.pointId, trials: 1, estimatedMs: 0 };
      const result = judgeScenarioPoint(scenario, planned, [trial], {
        observationOf: (spec, one) => observeTrial(spec, one, []),
        unfinished: 0,
      });
      return result.verdict === 'fail';
    },
  };
}
