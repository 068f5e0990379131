import {
  type CheckResult,
  type CheckSpec,
  type Finding,
  type MeasureValue,
  matchesPoint,
  type PlannedScenario,
  type PointResult,
  type TrialRecord,
  type Verdict,
} from '../record/index.ts';
import { levelPerLook } from '../stats/index.ts';
import { createDecider } from './decide.ts';
import { counts, faultDoubts, hostDoubts } from './doubts.ts';
import { gateVision } from './gate-power.ts';
import { type BrokenCheck, judgePoint } from './judge-point.ts';
import { publishedAt } from './published-at.ts';
import { summariseMeasures } from './summarise.ts';
import { combineVerdicts } from './verdicts.ts';
import { waive } from './waive.ts';

type PlannedPoint = PlannedScenario['points'][number];

/** Put before the point's own checks when a trial is doubted, of what they look at, and no check of the scenario would say so. */
const IMPLICIT_GUARDS: readonly {
  readonly spec: CheckSpec;
  readonly doubts: (trial: TrialRecord) => readonly Finding[];
}[] = [
  {
    spec: {
      check: 'faults-bit',
      title: 'every fault was seen to act, and to be gone',
      kind: 'guard',
      parameters: {},
    },
    doubts: faultDoubts,
  },
  {
    spec: { check: 'host-quiet', title: 'the host was watched and quiet', kind: 'guard', parameters: {} },
    doubts: hostDoubts,
  },
];

/** Judges all checks of a scenario at one point. Pure. */
export function judgeScenarioPoint(
  scenario: PlannedScenario,
  planned: PlannedPoint,
  trials: readonly TrialRecord[],
  options: {
    readonly observationOf: (spec: CheckSpec, trial: TrialRecord) => MeasureValue | undefined;
    /** Trials that began and left no record. */
    readonly unfinished: number;
  },
  broken: (problem: BrokenCheck) => void = () => undefined,
): PointResult {
  const { point } = planned;
  const counted = trials.filter(counts);
  const specs = checksAt(scenario, point, trials);
  const hung = scenario.mayHang ? trials.filter((trial) => trial.hung) : [];
  if (hung.length > 0) return hangs(scenario, planned, trials, hung, options.unfinished);
  const clear = createDecider({
    point,
    checks: specs,
    expectations: scenario.expectations,
    measures: scenario.measures,
    enough: planned.enough,
    planned: planned.trials,
    minimum: 1,
  });
  const stoppedEarly =
    counted.length < planned.trials &&
    (planned.clearEarly === true ||
      counted.length >= (planned.atLeast ?? planned.trials) ||
      clear(trials).action === 'stop');
  const published = publishedAt(scenario, point);
  const checks = specs.map((spec) =>
    judgePoint(
      spec,
      trials,
      {
        point,
        measures: scenario.measures,
        published: scenario.published,
        expectations: scenario.expectations,
        level: stoppedEarly ? levelPerLook(0.95, planned.trials) : 0.95,
        observationOf: options.observationOf,
      },
      broken,
    ),
  );
  const short = counted.length < planned.trials && !stoppedEarly;
  const answered = checks.map((check) => waive(check, point, scenario.waivers));
  return {
    suite: scenario.suite,
    scenario: scenario.scenario,
    point,
    pointId: planned.pointId,
    trials: { ...tally(planned.trials, trials, options.unfinished), counted: counted.length, stoppedEarly },
    measures: summariseMeasures(counted, scenario.measures),
    checks: answered,
    published,
    ...(planned.gate && { gate: gateVision(planned.gate) }),
    verdict: pointVerdict(answered, short),
  };
}

/** A mutant that does not end is found out by that: as failed, which is what it must. */
function hangs(
  scenario: PlannedScenario,
  { point, pointId, trials: planned }: PlannedPoint,
  trials: readonly TrialRecord[],
  hung: readonly TrialRecord[],
  unfinished: number,
): PointResult {
  const reason = hung[0]?.reasons[0] ?? 'no reason given';
  return {
    suite: scenario.suite,
    scenario: scenario.scenario,
    point,
    pointId,
    trials: {
      ...tally(planned, trials, unfinished),
      counted: trials.filter(counts).length,
      stoppedEarly: true,
    },
    measures: {},
    checks: [
      {
        title: 'it ends within its time budget',
        check: 'time-budget',
        kind: 'invariant',
        verdict: 'pass',
        rawVerdict: 'fail',
        expected: 'fail',
        sentence: `Failed, as it must here. Trial ${hung[0]?.trial} went beyond its time budget: ${reason}`,
        findings: [],
      },
    ],
    published: [],
    verdict: 'pass',
  };
}

/** A point that has fewer trials than planned may fail, but does not pass: what it was to show is not shown. */
function pointVerdict(checks: readonly CheckResult[], short: boolean): Verdict {
  const verdict = combineVerdicts(checks.map((check) => check.verdict));
  return verdict === 'pass' && short ? 'inconclusive' : verdict;
}

export function checksAt(
  scenario: PlannedScenario,
  point: PlannedPoint['point'],
  trials: readonly TrialRecord[],
): CheckSpec[] {
  const specs = scenario.checks.filter((spec) => matchesPoint(point, spec.where));
  const completed = trials.filter((trial) => trial.outcome === 'completed');
  const unsaid = IMPLICIT_GUARDS.filter(
    ({ spec, doubts }) =>
      completed.some((trial) => doubts(trial).length > 0) && !specs.some(({ check }) => check === spec.check),
  );
  return [...unsaid.map(({ spec }) => spec), ...specs];
}

function tally(planned: number, trials: readonly TrialRecord[], unfinished: number): PointResult['trials'] {
  const of = (outcome: TrialRecord['outcome']): number =>
    trials.filter((trial) => trial.outcome === outcome).length;
  const hung = trials.filter((trial) => trial.hung).length;
  return {
    planned,
    completed: of('completed'),
    void: of('void'),
    error: of('error'),
    aborted: of('aborted') + unfinished,
    ...(hung > 0 && { hung }),
  };
}

/** Whether a point has fewer counted trials than planned, without its answer having been clear. */
export function isShort({ trials }: PointResult): boolean {
  return (trials.counted ?? trials.completed) < trials.planned && trials.stoppedEarly !== true;
}
