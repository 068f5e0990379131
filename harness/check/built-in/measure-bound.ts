import { z } from 'zod';
import type { Finding } from '../../record/index.ts';
import { clopperPearson, estimate, excludedRate, type Statistic } from '../../stats/index.ts';
import { formatNumber, formatQuantity, operator, placeInterval, satisfies } from '../bound.ts';
import type { CheckContext, CheckDefinition, Judgement } from '../definition.ts';
import { type TrialValues, trialValues, unitOf } from '../trial-values.ts';

/** More findings than this are counted, not listed. */
const FINDINGS_LIMIT = 20;

const parameters = z.strictObject({
  measure: z.string().describe('Name of the measure; `table.key` for one entry of a table.'),
  op: operator,
  value: z.number().describe('The bound, in the unit of the measure.'),
  unit: z.string().optional(),
  /** Estimates only. `share`: the share of values that satisfy the bound must be `share` at least. */
  statistic: z
    .union([z.enum(['mean', 'median', 'share']), z.strictObject({ quantile: z.number().gt(0).lt(1) })])
    .default('mean'),
  share: z.number().gt(0).lte(1).optional(),
  /** A value that is null (censored). Default: largest of all for quantiles and shares, else no answer. */
  missing: z.enum(['largest', 'smallest', 'ignore', 'inconclusive']).optional(),
});
export type MeasureBoundParameters = z.infer<typeof parameters>;

/**
 * A measure against a bound. As an *invariant* every value of every trial must satisfy it: one violation fails, and a
 * pass prints the rate that the trials exclude. As an *estimate* the interval of a statistic must lie wholly within the
 * bound to pass and wholly outside to fail.
 */
export const measureBound: CheckDefinition<MeasureBoundParameters> = {
  parameters,
  judge(context) {
    const perTrial = trialValues(context.trials, context.parameters.measure);
    const without = perTrial.filter((one) => one.values.length === 0);
    if (without.length > 0) {
      return unanswered(
        context,
        `${context.parameters.measure} was not measured in trial ${without.map((one) => one.trial).join(', ')}.`,
      );
    }
    return context.spec.kind === 'estimate'
      ? judgeEstimate(context, perTrial)
      : judgeInvariant(context, perTrial);
  },
};

type Context = CheckContext<MeasureBoundParameters>;

function unit({ parameters: { measure, unit: own }, measures }: Context): string {
  return own ?? unitOf(measures, measure);
}

function boundOf(context: Context): NonNullable<Judgement['bound']> {
  return { op: context.parameters.op, value: context.parameters.value, unit: unit(context) };
}

function unanswered(context: Context, sentence: string): Judgement {
  return { verdict: 'inconclusive', sentence, findings: [], bound: boundOf(context) };
}

function judgeInvariant(context: Context, perTrial: readonly TrialValues[]): Judgement {
  const { op, value: bound, measure, missing = 'inconclusive' } = context.parameters;
  const fill =
    missing === 'largest'
      ? Number.POSITIVE_INFINITY
      : missing === 'smallest'
        ? Number.NEGATIVE_INFINITY
        : null;
  const findings: Finding[] = [];
  let violations = 0;
  let violated = 0;
  let worst: number | undefined;
  let censored = 0;
  for (const { trial, values } of perTrial) {
    const filled = values
      .map((value) => value ?? fill)
      .filter((value) => value !== null || missing !== 'ignore');
    censored += filled.filter((value) => value === null).length;
    const known = filled.filter((value): value is number => value !== null);
    const wrong = known.filter((value) => !satisfies(value, op, bound));
    if (wrong.length > 0) violated += 1;
    violations += wrong.length;
    for (const value of known) worst = worse(worst, value, op, bound);
    for (const value of wrong.slice(0, Math.max(0, FINDINGS_LIMIT - findings.length))) {
      findings.push({
        subject: measure,
        observed: formatQuantity(value, unit(context)),
        expected: `${op} ${formatQuantity(bound, unit(context))}`,
        trial,
      });
    }
  }
  const trials = perTrial.length;
  const common = { findings, bound: boundOf(context), ...(worst === undefined ? {} : { estimate: worst }) };
  if (violated > 0) {
    const single = perTrial.every((one) => one.values.length === 1);
    const count = single ? '' : ` (${formatNumber(violations)} values)`;
    return {
      ...common,
      verdict: 'fail',
      sentence: `${measure} ${op} ${formatQuantity(bound, unit(context))} was violated in ${violated} of ${trials} trials${count}, at worst ${formatQuantity(worst ?? Number.NaN, unit(context))}.`,
    };
  }
  if (censored > 0) {
    return {
      ...common,
      verdict: 'inconclusive',
      sentence: `${measure} was not observed ${censored} times; what it would have been is unknown.`,
    };
  }
  if (worst === undefined) {
    return {
      ...common,
      verdict: 'inconclusive',
      sentence: `${measure} had no value to judge in ${trials} trials.`,
    };
  }
  const excludes = excludedRate(0, trials);
  return {
    ...common,
    verdict: 'pass',
    excludesRate: excludes,
    sentence: `${measure} ${op} ${formatQuantity(bound, unit(context))} held in ${trials} of ${trials} trials, which excludes a violation rate above ${formatNumber(excludes * 100)} %.`,
  };
}

/** The value nearest to violating, or violating most: for `=` the one farthest away. */
function worse(
  worst: number | undefined,
  value: number,
  op: MeasureBoundParameters['op'],
  bound: number,
): number {
  if (worst === undefined) return value;
  if (op === '=') return Math.abs(value - bound) > Math.abs(worst - bound) ? value : worst;
  return op.startsWith('<') ? Math.max(worst, value) : Math.min(worst, value);
}

function judgeEstimate(context: Context, perTrial: readonly TrialValues[]): Judgement {
  const { op, value: bound, measure, statistic, share } = context.parameters;
  const values = fillMissing(
    context,
    perTrial.flatMap((one) => one.values),
  );
  if (values === undefined) {
    const nulls = perTrial.flatMap((one) => one.values).filter((value) => value === null).length;
    return unanswered(
      context,
      `${measure} was not observed ${nulls} times, so its ${nameOf(statistic)} is unknown.`,
    );
  }
  if (values.length === 0)
    return unanswered(context, `${measure} has no value in ${perTrial.length} trials.`);
  if (statistic === 'share') return judgeShare(context, values, share ?? 1);
  const { value, interval } = estimate(values, statistic as Statistic, {
    level: context.level,
    seed: `${context.spec.title}/${JSON.stringify(context.point)}`,
  });
  const what = `${nameOf(statistic)} of ${measure}`;
  if (!interval) {
    return {
      ...unanswered(
        context,
        `The ${what} is ${formatQuantity(value, unit(context))} over ${values.length} values: too few for an interval.`,
      ),
      ...(Number.isFinite(value) ? { estimate: value } : {}),
    };
  }
  const place = placeInterval(interval, op, bound);
  return {
    verdict: place === 'within' ? 'pass' : place === 'outside' ? 'fail' : 'inconclusive',
    sentence: `The ${what} is ${formatQuantity(value, unit(context))} (${percent(interval.level)} interval ${formatNumber(interval.low)} to ${formatNumber(interval.high)}, ${values.length} values), ${placeText(place)} the bound ${op} ${formatQuantity(bound, unit(context))}.`,
    findings:
      place === 'outside'
        ? [
            {
              subject: what,
              observed: formatQuantity(value, unit(context)),
              expected: `${op} ${formatQuantity(bound, unit(context))}`,
            },
          ]
        : [],
    ...(Number.isFinite(value) ? { estimate: value } : {}),
    ...(Number.isFinite(interval.low) && Number.isFinite(interval.high) ? { interval } : {}),
    bound: boundOf(context),
  };
}

function judgeShare(context: Context, values: readonly number[], wanted: number): Judgement {
  const { op, value: bound, measure } = context.parameters;
  const fitting = values.filter((value) => satisfies(value, op, bound)).length;
  const interval = clopperPearson(fitting, values.length, context.level);
  const place = placeInterval(interval, '>=', wanted);
  return {
    verdict: place === 'within' ? 'pass' : place === 'outside' ? 'fail' : 'inconclusive',
    sentence: `${fitting} of ${values.length} values of ${measure} are ${op} ${formatQuantity(bound, unit(context))} (${percent(interval.level)} interval ${formatNumber(interval.low * 100)} to ${formatNumber(interval.high * 100)} %), ${placeText(place)} the wanted share of ${formatNumber(wanted * 100)} %.`,
    findings: [],
    estimate: fitting / values.length,
    interval,
    bound: { op: '>=', value: wanted, unit: '' },
  };
}

/** Values with the censored ones put where the check says; undefined when they leave no answer. */
function fillMissing(context: Context, values: readonly (number | null)[]): number[] | undefined {
  const { statistic } = context.parameters;
  const missing = context.parameters.missing ?? (statistic === 'mean' ? 'inconclusive' : 'largest');
  if (missing === 'inconclusive' && values.includes(null)) return undefined;
  const fill = missing === 'smallest' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return values.flatMap((value) => (value !== null ? [value] : missing === 'ignore' ? [] : [fill]));
}

export function nameOf(statistic: MeasureBoundParameters['statistic']): string {
  return typeof statistic === 'string' ? statistic : `${formatNumber(statistic.quantile * 100)} % quantile`;
}

function percent(level: number): string {
  return `${Number((level * 100).toFixed(2))} %`;
}

function placeText(place: 'within' | 'outside' | 'across'): string {
  return place === 'within' ? 'wholly within' : place === 'outside' ? 'wholly outside' : 'on both sides of';
}
