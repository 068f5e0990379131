import type { Compared, ComparedTrial } from '../check/index.ts';
import type {
  ComparedMetric,
  ComparisonResult,
  ComparisonSpec,
  ParameterValue,
  PlannedScenario,
  Verdict,
} from '../record/index.ts';
import { holm } from '../stats/index.ts';
import { adjustMetric, compareMetric, type MetricContext } from './compare-metric.ts';
import { conditionsOf, lossesOf, sideOf, voidsOf } from './strata.ts';

/**
 * All comparisons of a scenario over its trials, but for those that the run was not planned for, of which a note each tells. Where
 * that would be all of them, those that are not of speeds are judged nevertheless, and find nothing to compare: the scenario is
 * then inconclusive and does not pass for what it was not asked. Pure; fits `judgeRun`'s `compare`.
 */
export function compareScenario(scenario: PlannedScenario, trials: readonly ComparedTrial[]): Compared {
  const specs = scenario.comparisons ?? [];
  const planned = specs.filter((spec) => isPlanned(spec, scenario));
  const judged = planned.length > 0 ? planned : specs.filter(({ parameter }) => parameter !== 'warp');
  return {
    comparisons: judged.map((spec) => compareSides(spec, scenario, trials)),
    notes: specs.filter((spec) => !judged.includes(spec)).map((spec) => leftOut(spec, scenario.scenario)),
  };
}

function leftOut(spec: ComparisonSpec, scenario: string): string {
  const place = spec.where === undefined ? '' : ` where ${pointText(spec.where)}`;
  return `${scenario}: "${spec.title}" was not compared; the run has no points of both ${nameOf(spec, spec.baseline)} and ${nameOf(spec, spec.candidate)}${place}`;
}

const pointText = (where: NonNullable<ComparisonSpec['where']>): string =>
  Object.entries(where)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');

/** A comparison of speeds, or at some place, is only asked for by a run that has both sides there; any other always is. */
function isPlanned(spec: ComparisonSpec, { points }: Pick<PlannedScenario, 'points'>): boolean {
  if (spec.parameter !== 'warp' && spec.where === undefined) return true;
  const sides = new Set(points.map((planned) => sideOf(spec, planned)));
  return sides.has('baseline') && sides.has('candidate');
}

/**
 * Two sides of one comparison. The primary measure, those of `noMore` and the no-loss rule decide: a loss of the candidate
 * fails whatever the measures say, and so does one of `noMore` that is worse; unclear on the primary is inconclusive, and so
 * are sides that lost unequally many trials to the host or did not run on the same seeds. Secondary measures are adjusted for their number after Holm and decide nothing.
 */
export function compareSides(
  spec: ComparisonSpec,
  scenario: Pick<PlannedScenario, 'suite' | 'scenario' | 'measures'>,
  trials: readonly ComparedTrial[],
): ComparisonResult {
  const context: MetricContext = {
    conditions: conditionsOf(spec, trials),
    measures: scenario.measures,
    baseline: nameOf(spec, spec.baseline),
    candidate: nameOf(spec, spec.candidate),
    seed: `${scenario.suite}/${scenario.scenario}/${spec.title}`,
  };
  const primary = compareMetric(spec.primary, 'primary', context);
  const guards = (spec.noMore ?? []).map((one) => compareMetric(one, 'guard', context));
  const secondary = (spec.secondary ?? []).map((one) => compareMetric(one, 'secondary', context));
  const adjusted = holm(secondary.map((one) => one.pValue ?? 1));
  const { losses, unknown } = lossesOf(spec, trials);
  const voids = voidsOf(spec, trials);
  const paired = sharedSeeds(spec, trials);
  const decision = decide();
  return {
    suite: scenario.suite,
    scenario: scenario.scenario,
    title: spec.title,
    baseline: context.baseline,
    candidate: context.candidate,
    ...decision,
    metrics: [
      primary,
      ...guards,
      ...secondary.map((one, index) => adjustMetric(one, adjusted[index] ?? 1, context)),
    ],
    losses,
    voids,
  };

  function decide(): Pick<ComparisonResult, 'verdict' | 'outcome' | 'sentence'> {
    const unclear = (why: string) =>
      ({ verdict: 'inconclusive', outcome: 'unclear', sentence: `${spec.title}: ${why}` }) as const;
    if (losses.length > 0) {
      const sentence = `${spec.title}: ${context.candidate} lost something in ${losses.length} of its trials, which decides: ${losses[0]?.subject} was ${losses[0]?.observed}.`;
      return { verdict: 'fail', outcome: 'worse', sentence };
    }
    if (unknown > 0)
      return unclear(`${unknown} trials of ${context.candidate} do not say whether something was lost.`);
    if (voids.unequal) {
      return unclear(
        `the sides lost unequally many trials to the host (${voids.baseline} and ${voids.candidate}), so what is left may differ for that alone.`,
      );
    }
    if (!paired) return unclear('the sides did not run on the same seeds.');
    const worse = guards.find(({ outcome }) => outcome === 'worse');
    if (worse) return { verdict: 'fail', outcome: 'worse', sentence: `${spec.title}: ${worse.sentence}` };
    const open = primary.outcome === 'worse' ? undefined : guards.find(withholds);
    if (open) return unclear(open.sentence);
    return {
      verdict: VERDICTS[primary.outcome],
      outcome: primary.outcome,
      sentence: `${spec.title}: ${primary.sentence}`,
    };
  }
}

/** Unclear, and what was seen lies beyond the margin; or nothing could be seen. With it within, a few trials are no reason to wait. */
function withholds({ outcome, effect, better, margin }: ComparedMetric): boolean {
  if (outcome !== 'unclear') return false;
  return effect === undefined || (better === 'higher' ? -effect : effect) > margin;
}

/** A speed is no name by itself. */
const nameOf = ({ parameter }: ComparisonSpec, side: ParameterValue): string =>
  parameter === 'warp' ? `warp ${side}` : String(side);

const VERDICTS: Readonly<Record<ComparisonResult['outcome'], Verdict>> = {
  better: 'pass',
  'no worse': 'pass',
  worse: 'fail',
  agrees: 'pass',
  differs: 'fail',
  unclear: 'inconclusive',
};

/** Most seeds of the candidate's trials are seeds of the baseline's too; repeated voids may leave a few odd ones. */
function sharedSeeds(spec: ComparisonSpec, trials: readonly ComparedTrial[]): boolean {
  const seeds = (side: string): string[] =>
    trials.filter((one) => one.counted && sideOf(spec, one) === side).map((one) => one.seed);
  const baseline = new Set(seeds('baseline'));
  const candidate = seeds('candidate');
  return (
    candidate.length === 0 || candidate.filter((seed) => baseline.has(seed)).length * 2 > candidate.length
  );
}
