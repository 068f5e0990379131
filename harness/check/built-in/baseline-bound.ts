import { z } from 'zod';
import type { Point } from '../../record/index.ts';
import {
  differenceOfMeans,
  mean,
  ratioOfMeans,
  type Stratum,
  stratifiedRankTest,
} from '../../stats/index.ts';
import { formatNumber, formatQuantity, pValueText } from '../bound.ts';
import type { CheckContext, CheckDefinition, Judgement } from '../definition.ts';
import { titleOf, trialValues, unitOf } from '../trial-values.ts';

const value = z.union([z.string(), z.number(), z.boolean()]);

const parameters = z
  .strictObject({
    measure: z.string(),
    better: z.enum(['lower', 'higher']),
    /** Worse by at most this share of the baseline … */
    marginRatio: z.number().nonnegative().optional(),
    /** … or by at most this, in the measure's unit. */
    margin: z.number().nonnegative().optional(),
    baseline: z.strictObject({
      name: z.string(),
      /** One value a trial at each point. */
      points: z.array(z.strictObject({ point: z.record(z.string(), value), values: z.array(z.number()) })),
    }),
    /** How many times as much this machine shows as the baseline's, by a calibration run. */
    scale: z.strictObject({ factor: z.number(), low: z.number(), high: z.number() }).optional(),
  })
  .refine((one) => (one.marginRatio === undefined) !== (one.margin === undefined), {
    message: 'give either "marginRatio" or "margin"',
  });
type Parameters = z.infer<typeof parameters>;

/**
 * A measure against the same point of a baseline: "no more than 10 % above it". The interval of the ratio of means (with
 * `margin`, of their difference) must lie wholly within the margin to pass, and wholly beyond it to fail. A baseline
 * of another machine is multiplied by the calibration's factor at both ends of its interval, each judged at half the error,
 * so that the factor's own uncertainty is paid for.
 */
export const baselineBound: CheckDefinition<Parameters> = {
  parameters,
  judge(context) {
    const { measure, baseline, scale } = context.parameters;
    const title = titleOf(context.measures, measure);
    const found = baseline.points.find((one) => samePoint(one.point, context.point));
    if (!found) return unanswered(`The baseline ${baseline.name} has no values of “${title}” at this point.`);
    const candidate: number[] = [];
    for (const { trial, values } of trialValues(context.trials, measure)) {
      if (values.length === 0 || values.includes(null))
        return unanswered(`${title} was not measured, or not seen to happen, in trial ${trial}.`);
      candidate.push(mean(values as readonly number[]));
    }
    const level = scale ? 1 - (1 - context.level) / 2 : context.level;
    const factors = scale ? [scale.factor, scale.low, scale.high] : [1];
    const [middle, ...ends] = factors.map((factor) =>
      place(context, { baseline: found.values.map((one) => one * factor), candidate }, level),
    ) as [Placed, ...Placed[]];
    const deciding = ends.length > 0 ? ends : [middle];
    const verdict = deciding.every((one) => one.verdict === deciding[0]?.verdict)
      ? (deciding[0] as Placed).verdict
      : 'inconclusive';
    return { ...sayIt(context, title, middle, verdict, found.values.length), verdict };
  },
};

interface Placed {
  readonly verdict: Judgement['verdict'];
  readonly baseline: number;
  readonly candidate: number;
  /** Of the ratio, or of the difference where the margin is one. */
  readonly interval: { readonly low: number; readonly high: number } | undefined;
  readonly pValue: number | undefined;
}

function place({ parameters: given }: CheckContext<Parameters>, stratum: Stratum, level: number): Placed {
  const { marginRatio, margin = 0, better } = given;
  const interval =
    marginRatio === undefined
      ? differenceOfMeans([stratum], level).interval
      : ratioOfMeans([stratum], level).interval;
  const limit = marginRatio === undefined ? margin : marginRatio;
  const start = marginRatio === undefined ? 0 : 1;
  // Turned so that larger is worse, from the baseline on.
  const [low, high] = !interval
    ? [Number.NaN, Number.NaN]
    : better === 'lower'
      ? [interval.low - start, interval.high - start]
      : [start - interval.high, start - interval.low];
  return {
    verdict: high <= limit ? 'pass' : low > limit ? 'fail' : 'inconclusive',
    baseline: mean(stratum.baseline),
    candidate: mean(stratum.candidate),
    interval,
    pValue: stratifiedRankTest([stratum]),
  };
}

function sayIt(
  context: CheckContext<Parameters>,
  title: string,
  placed: Placed,
  verdict: Judgement['verdict'],
  baselineTrials: number,
): Omit<Judgement, 'verdict'> {
  const { marginRatio, margin = 0, better, baseline, scale, measure } = context.parameters;
  const unit = unitOf(context.measures, measure);
  const away = better === 'lower' ? 'above' : 'below';
  const allowed =
    marginRatio === undefined ? formatQuantity(margin, unit) : `${formatNumber(marginRatio * 100)} %`;
  const trials = `${context.trials.length} against ${baselineTrials} trials`;
  const range = !placed.interval
    ? `${trials}: too few, or too uniform, for an interval`
    : marginRatio === undefined
      ? `difference ${formatNumber(placed.interval.low)} to ${formatNumber(placed.interval.high)}, ${trials}`
      : `${formatNumber(placed.interval.low * 100)} to ${formatNumber(placed.interval.high * 100)} % of it, ${trials}`;
  const rank = placed.pValue === undefined ? '' : `; rank test ${pValueText(placed.pValue)}`;
  const scaled = scale ? `, rescaled by ${formatNumber(scale.factor)} for this machine` : '';
  const says = {
    pass: `not more than the allowed ${allowed} ${away} it`,
    fail: `more than the allowed ${allowed} ${away} it`,
    inconclusive: `whether that is more than the allowed ${allowed} ${away} it is open`,
  }[verdict];
  const observed = formatQuantity(placed.candidate, unit);
  const against = formatQuantity(placed.baseline, unit);
  return {
    sentence: `The mean of “${title}” is ${observed} against ${against} of the baseline ${baseline.name}${scaled} (${range}${rank}): ${says}.`,
    estimate: placed.candidate,
    findings:
      verdict === 'fail'
        ? [
            {
              subject: title,
              observed,
              expected: `at most ${allowed} ${away} ${against} of ${baseline.name}`,
            },
          ]
        : [],
  };
}

function samePoint(a: Point, b: Point): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => a[key] === b[key]);
}

function unanswered(sentence: string): Judgement {
  return { verdict: 'inconclusive', sentence, findings: [] };
}
