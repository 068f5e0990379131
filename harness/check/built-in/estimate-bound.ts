import { clopperPearson, estimate, type Statistic } from '../../stats/index.ts';
import { boundText, formatNumber, formatQuantity, placeInterval, satisfies } from '../bound.ts';
import type { Judgement } from '../definition.ts';
import type { TrialValues } from '../trial-values.ts';
import {
  type BoundContext,
  boundOf,
  type MeasureBoundParameters,
  titleIn,
  unanswered,
  unitIn,
} from './bound-context.ts';

/** The interval of a statistic of all values must lie on one side of the bound. */
export function judgeEstimate(context: BoundContext, perTrial: readonly TrialValues[]): Judgement {
  const { op, value: bound, statistic, share } = context.parameters;
  const all = perTrial.flatMap((one) => one.values);
  const what = `${nameOf(statistic)} of “${titleIn(context)}”`;
  const values = fillMissing(context, all);
  if (values === undefined) {
    const unseen = all.filter((value) => value === null).length;
    return unanswered(
      context,
      `${titleIn(context)} was not observed ${unseen} times, so its ${nameOf(statistic)} is unknown.`,
    );
  }
  if (values.length === 0)
    return unanswered(context, `${titleIn(context)} has no value in ${perTrial.length} trials.`);
  if (statistic === 'share') return judgeShare(context, values, share ?? 1);
  const { value, interval } = estimate(values, statistic as Statistic, {
    level: context.level,
    seed: `${context.spec.title}/${JSON.stringify(context.point)}`,
  });
  const middle = formatQuantity(value, unitIn(context));
  const known = Number.isFinite(value) ? { estimate: value } : {};
  if (!interval) {
    const sentence = `The ${what} is ${middle} over ${values.length} values: too few for an interval.`;
    return { ...unanswered(context, sentence), ...known };
  }
  const place = placeInterval(interval, op, bound);
  const expected = boundText(op, bound, unitIn(context));
  const range = `${percent(interval.level)} interval ${formatNumber(interval.low)} to ${formatNumber(interval.high)}, ${values.length} values`;
  return {
    verdict: verdictOf(place),
    sentence: `The ${what} is ${middle} (${range}), ${placeText(place)} the bound ${expected}.`,
    findings: place === 'outside' ? [{ subject: what, observed: middle, expected }] : [],
    ...known,
    ...(Number.isFinite(interval.low) && Number.isFinite(interval.high) ? { interval } : {}),
    bound: boundOf(context),
  };
}

function judgeShare(context: BoundContext, values: readonly number[], wanted: number): Judgement {
  const { op, value: bound } = context.parameters;
  const fitting = values.filter((value) => satisfies(value, op, bound)).length;
  const interval = clopperPearson(fitting, values.length, context.level);
  const place = placeInterval(interval, '>=', wanted);
  const range = `${percent(interval.level)} interval ${formatNumber(interval.low * 100)} to ${formatNumber(interval.high * 100)} %`;
  const expected = `at least ${formatNumber(wanted * 100)} %`;
  return {
    verdict: verdictOf(place),
    sentence: `${titleIn(context)} is ${boundText(op, bound, unitIn(context))} for ${fitting} of ${values.length} values (${range}), ${placeText(place)} the wanted share of ${expected}.`,
    findings:
      place === 'outside'
        ? [
            {
              subject: titleIn(context),
              observed: `${formatNumber((fitting / values.length) * 100)} %`,
              expected,
            },
          ]
        : [],
    estimate: fitting / values.length,
    interval,
    bound: { op: '>=', value: wanted, unit: '' },
  };
}

/** Values with the censored ones put where the check says; undefined when they leave no answer. */
function fillMissing(context: BoundContext, values: readonly (number | null)[]): number[] | undefined {
  const { statistic } = context.parameters;
  const missing = context.parameters.missing ?? (statistic === 'mean' ? 'inconclusive' : 'largest');
  if (missing === 'inconclusive' && values.includes(null)) return undefined;
  const fill = missing === 'smallest' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return values.flatMap((value) => (value !== null ? [value] : missing === 'ignore' ? [] : [fill]));
}

function nameOf(statistic: MeasureBoundParameters['statistic']): string {
  return typeof statistic === 'string' ? statistic : `${formatNumber(statistic.quantile * 100)} % quantile`;
}

function percent(level: number): string {
  return `${Number((level * 100).toFixed(2))} %`;
}

type Place = 'within' | 'outside' | 'across';

function verdictOf(place: Place): Judgement['verdict'] {
  return place === 'within' ? 'pass' : place === 'outside' ? 'fail' : 'inconclusive';
}

function placeText(place: Place): string {
  return place === 'within' ? 'wholly within' : place === 'outside' ? 'wholly outside' : 'on both sides of';
}
