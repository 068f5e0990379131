import { formatNumber, formatQuantity, titleOf } from '../check/index.ts';
import type {
  ComparedMetric,
  ComparisonResult,
  MeasureSpec,
  PlannedScenario,
  RunRecord,
} from '../record/index.ts';

type Planned = readonly Pick<PlannedScenario, 'suite' | 'scenario' | 'measures'>[];

/** One sentence to act on: ship, do not ship, or what is missing to say. @param planned what names measures for people */
export function releaseSentence(run: RunRecord, planned: Planned): string {
  const comparisons = run.comparisons ?? [];
  if (comparisons.length === 0) return 'Hold: nothing was compared, so nothing is known.';
  return comparisons.map((one) => sentenceOf(one, run, planned)).join(' ');
}

function sentenceOf(one: ComparisonResult, run: RunRecord, planned: Planned): string {
  const { candidate, baseline } = one;
  const [primary] = one.metrics;
  if (one.losses.length > 0) {
    return `Do not ship ${candidate}: ${one.losses[0]?.subject} was ${one.losses[0]?.observed}, and a wave that loses a key decides whatever the rest says.`;
  }
  // Of this comparison's two sides: what another candidate loses says nothing about this one.
  const lossElsewhere = run.points.some(
    ({ point, checks }) =>
      Object.values(point).some((value) => [baseline, candidate].includes(String(value))) &&
      checks.some((check) => check.kind === 'invariant' && check.verdict === 'fail'),
  );
  const waves = `${primary?.candidateTrials ?? 0} against ${primary?.baselineTrials ?? 0} waves`;
  const guard = one.metrics.find(({ role, outcome }) => role === 'guard' && outcome === 'worse');
  const gone = primary ? changeOf(primary, measuresOf(one, planned)) : '';
  if (lossElsewhere) {
    return `Hold ${candidate}: what must never happen happened in some wave (see the failed checks), so this comparison with ${baseline} does not stand by itself (${gone}; ${waves}).`;
  }
  if (run.partial && one.verdict === 'pass') {
    return `Hold ${candidate}: fewer waves were played than a look asks for (${gone}; ${waves}).`;
  }
  switch (one.outcome) {
    case 'better':
      return `Ship ${candidate}: better than ${baseline} (${gone}; ${waves}).`;
    case 'no worse':
      return `Ship ${candidate}: no worse than ${baseline} (${gone}; ${waves}).`;
    case 'agrees':
      return `${candidate} agrees with ${baseline} (${gone}; ${waves}).`;
    case 'differs':
      return `${candidate} differs from ${baseline} (${gone}; ${waves}).`;
    case 'worse':
      if (guard) {
        return `Do not ship ${candidate}: it has more than ${baseline} of what may not grow (${changeOf(guard, measuresOf(one, planned))}; ${waves}).`;
      }
      return `Do not ship ${candidate}: worse than ${baseline} (${gone}; ${waves}).`;
    case 'unclear':
      return `Hold ${candidate}: whether it is worse than ${baseline} is open (${gone || 'nothing to compare'}; ${waves}). ${one.sentence}`;
  }
}

function measuresOf({ suite, scenario }: ComparisonResult, planned: Planned): readonly MeasureSpec[] {
  return planned.find((one) => one.suite === suite && one.scenario === scenario)?.measures ?? [];
}

function changeOf(metric: ComparedMetric, measures: readonly MeasureSpec[]): string {
  const { measure, unit, baselineEstimate, candidateEstimate, interval, margin } = metric;
  const atLeast = (open = 0): string => (open > 0 ? 'at least ' : '');
  if (baselineEstimate === undefined || candidateEstimate === undefined) return '';
  const range = interval
    ? `, difference ${formatNumber(interval.low)} to ${formatQuantity(interval.high, unit)}`
    : '';
  return `${titleOf(measures, measure)} ${atLeast(metric.candidateOpen)}${formatQuantity(candidateEstimate, unit)} against ${atLeast(metric.baselineOpen)}${formatQuantity(baselineEstimate, unit)}${range}, margin ${formatQuantity(margin, unit)}`;
}
