import { combineVerdicts, countOf } from '../check/index.ts';
import type { MutationReport } from '../mutation/index.ts';
import type { CheckResult, PointResult, RunRecord, Verdict } from '../record/index.ts';
import type { Stability } from './stability.ts';

/** One check of a gate over all points where it was judged. */
export interface CheckLine {
  readonly suite: string;
  readonly scenario: string;
  readonly check: string;
  readonly kind: CheckResult['kind'] | 'comparison' | 'mutant' | 'harness';
  readonly verdict: Verdict;
  /** `2 points, 6 trials`; empty where it says nothing. */
  readonly extent: string;
  /** Of the point that decides: the first with the check's verdict. */
  readonly sentence: string;
  readonly pointId?: string;
  /** It fails somewhere, and somebody answers for that. */
  readonly waived?: true;
  /** Over several runs of the same thing: at the point where it passed least often. */
  readonly stability?: Stability;
  /** It passed and failed on the same commit. */
  readonly unstable?: true;
}

const MUTANT_VERDICTS: Readonly<Record<MutationReport['mutants'][number]['fate'], Verdict>> = {
  killed: 'pass',
  'timed-out': 'pass',
  'too-rare': 'pass',
  survived: 'fail',
  'not-covered': 'fail',
  error: 'inconclusive',
};
const ORDER: readonly Verdict[] = ['fail', 'inconclusive', 'pass'];

/** One line a check: those of the plan's scenarios in order, guards last, then comparisons, mutants and what broke. Pure. */
export function checkLines(run: RunRecord, mutation?: MutationReport): CheckLine[] {
  const mutated = new Set(mutation?.mutants.map((one) => `${one.suite}/${one.scenario}-${one.mutant}`));
  const own = run.points.filter((point) => !mutated.has(`${point.suite}/${point.scenario}`));
  return [
    ...scenarioLines(own),
    ...(run.comparisons ?? []).map(comparisonLine),
    ...mutantLines(mutation),
    ...run.errors.map(brokenLine),
  ];
}

function scenarioLines(points: readonly PointResult[]): CheckLine[] {
  const scenarios = new Map<string, PointResult[]>();
  for (const point of points) {
    const key = `${point.suite}/${point.scenario}`;
    scenarios.set(key, [...(scenarios.get(key) ?? []), point]);
  }
  return [...scenarios.values()].flatMap((mine) => {
    const titles = [...new Set(mine.flatMap((point) => point.checks.map((check) => check.title)))];
    const lines = titles.map((title) => lineOf(mine, title));
    const bare = mine.find((point) => point.checks.length === 0);
    return [
      ...lines.filter((line) => line.kind !== 'guard'),
      ...lines.filter((line) => line.kind === 'guard'),
      ...(bare ? [unjudged(bare)] : []),
      ...shortLines(mine),
    ];
  });
}

function lineOf(points: readonly PointResult[], title: string): CheckLine {
  const judged = points.flatMap((point) =>
    point.checks.filter((check) => check.title === title).map((check) => ({ point, check })),
  );
  const rank = (check: CheckResult): number => ORDER.indexOf(check.verdict) - (check.waived ? 0.5 : 0);
  const [first] = [...judged].sort((a, b) => rank(a.check) - rank(b.check)) as [(typeof judged)[number]];
  const trials = judged.reduce((sum, { point }) => sum + (point.trials.counted ?? point.trials.completed), 0);
  return {
    suite: first.point.suite,
    scenario: first.point.scenario,
    check: title,
    kind: first.check.kind,
    verdict: combineVerdicts(judged.map(({ check }) => check.verdict)),
    extent: `${countOf(judged.length, 'point')}, ${countOf(trials, 'trial')}`,
    sentence: first.check.sentence,
    pointId: first.point.pointId,
    ...(judged.some(({ check }) => check.waived) && { waived: true }),
  };
}

/** Points that did not pass although each of their checks did: fewer trials than planned. */
function shortLines(points: readonly PointResult[]): CheckLine[] {
  return points
    .filter((point) => point.verdict !== 'pass' && point.checks.every((check) => check.verdict === 'pass'))
    .filter((point) => point.checks.length > 0)
    .map((point) => ({
      suite: point.suite,
      scenario: point.scenario,
      check: 'all planned trials count',
      kind: 'guard',
      verdict: point.verdict,
      extent: countOf(point.trials.planned, 'trial'),
      sentence: `Only ${point.trials.counted ?? point.trials.completed} of ${point.trials.planned} planned trials count.`,
      pointId: point.pointId,
    }));
}

function unjudged(point: PointResult): CheckLine {
  return {
    suite: point.suite,
    scenario: point.scenario,
    check: 'something is judged',
    kind: 'guard',
    verdict: 'inconclusive',
    extent: '1 point',
    sentence: 'No check is judged at this point.',
    pointId: point.pointId,
  };
}

function comparisonLine(one: NonNullable<RunRecord['comparisons']>[number]): CheckLine {
  return {
    suite: one.suite,
    scenario: one.scenario,
    check: `${one.title}: ${one.candidate} against ${one.baseline}`,
    kind: 'comparison',
    verdict: one.verdict,
    extent: '',
    sentence: one.sentence,
  };
}

function mutantLines(mutation: MutationReport | undefined): CheckLine[] {
  return (mutation?.mutants ?? []).map((one) => ({
    suite: one.suite,
    scenario: one.scenario,
    check: `mutant ${one.mutant}`,
    kind: 'mutant',
    verdict: MUTANT_VERDICTS[one.fate],
    extent: countOf(one.trials, 'trial'),
    sentence: one.sentence,
  }));
}

function brokenLine(error: string): CheckLine {
  return {
    suite: 'squall',
    scenario: 'harness',
    check: 'nothing of ours broke',
    kind: 'harness',
    verdict: 'inconclusive',
    extent: '',
    sentence: error,
  };
}
