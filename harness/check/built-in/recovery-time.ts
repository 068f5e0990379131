import { z } from 'zod';
import {
  type MeasureValue,
  matchesEvent,
  type RecordedEvent,
  stableSinceMs,
  type TrialRecord,
} from '../../record/index.ts';
import { estimate, excludedRate } from '../../stats/index.ts';
import { formatDurationMs, parseDurationMs } from '../../units/index.ts';
import { formatNumber, placeInterval } from '../bound.ts';
import type { CheckContext, CheckDefinition, Judgement } from '../definition.ts';
import { valuesOf } from '../trial-values.ts';

const duration = z.string().transform((text, context) => {
  try {
    return parseDurationMs(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
});
const condition = z.strictObject({ event: z.string(), where: z.record(z.string(), z.unknown()).optional() });

const parameters = z
  .strictObject({
    /** A measure in ms that a predicate of the suite computed (null: not recovered while watched) … */
    measure: z.string().optional(),
    /** … or events that say good and bad; each node's last word holds, and all of `nodes` must be good. */
    good: condition.optional(),
    bad: condition.optional(),
    nodes: z.array(z.string()).optional(),
    /** Stays good for so long, in unwarped time. */
    stableFor: duration.default(0),
    /** From when: a fault's id, or the last fault of the trial. */
    since: z.string().optional(),
    within: duration,
    /** Estimates only. */
    statistic: z
      .union([z.enum(['mean', 'median']), z.strictObject({ quantile: z.number().gt(0).lt(1) })])
      .default('median'),
  })
  .refine((one) => (one.measure === undefined) !== (one.good === undefined), {
    message: 'give either "measure" or "good" (with "bad")',
  });
type Parameters = z.infer<typeof parameters>;

/** When recovery begins to be waited for: the moment at which the fault was gone. */
function sinceNs(trial: TrialRecord, since: string | undefined): number | undefined {
  const faults = since === undefined ? trial.faults : trial.faults.filter((fault) => fault.id === since);
  const ends = faults.map((fault) => fault.liftedNs ?? fault.goneNs).filter((atNs) => atNs !== undefined);
  return ends.length === 0 ? undefined : Math.max(...ends);
}

function observe(
  trial: TrialRecord,
  events: readonly RecordedEvent[],
  { measure, good, bad, nodes, stableFor, since }: Parameters,
): MeasureValue | undefined {
  if (measure !== undefined) {
    const values = valuesOf(trial.measures, measure);
    return values.length === 0 ? undefined : [...values];
  }
  const start = sinceNs(trial, since);
  if (start === undefined || !good) return undefined;
  const wanted = new Set(nodes ?? trial.nodes.map((node) => node.name));
  const goodNow = new Set<string>();
  const observations = events.flatMap((event) => {
    if (!wanted.has(event.node)) return [];
    if (matchesEvent(event, plain(good))) goodNow.add(event.node);
    else if (bad && matchesEvent(event, plain(bad))) goodNow.delete(event.node);
    else return [];
    return [{ atNs: event.atNs, good: goodNow.size === wanted.size }];
  });
  const realMs = stableSinceMs(observations, {
    sinceNs: start,
    untilNs: trial.endNs,
    stableForMs: stableFor / trial.warp,
  });
  return realMs === null ? null : realMs * trial.warp;
}

function plain(one: z.infer<typeof condition>): { event: string; where?: Record<string, unknown> } {
  return one.where ? { event: one.event, where: one.where } : { event: one.event };
}

interface Recovery {
  readonly trial: number;
  /** Unwarped ms; infinite: not recovered although watched for longer than the bound; undefined: watched too briefly. */
  readonly ms: number | undefined;
}

/**
 * Time from the end of a fault to the first moment that was good and stayed good. A trial that never recovered is
 * censored: it violates when it was watched for the whole bound, and proves nothing when it was not.
 */
export const recoveryTime: CheckDefinition<Parameters> = {
  parameters,
  needsEvents: ({ measure }) => measure === undefined,
  observe,
  judge(context) {
    const missing = context.trials.filter((_, index) => context.observations[index] === undefined);
    if (missing.length > 0) {
      return unanswered(
        context,
        `Recovery could not be observed in trial ${missing.map((trial) => trial.trial).join(', ')}: no fault that ended, or no such measure.`,
      );
    }
    const recoveries = context.trials.flatMap((trial, index) =>
      recoveriesOf(context, trial, context.observations[index] as MeasureValue),
    );
    const unknown = recoveries.filter(({ ms }) => ms === undefined).length;
    return context.spec.kind === 'estimate'
      ? judgeEstimate(context, recoveries, unknown)
      : judgeInvariant(context, recoveries, unknown);
  },
};

function recoveriesOf(context: CheckContext<Parameters>, trial: TrialRecord, seen: MeasureValue): Recovery[] {
  const { within, stableFor, since } = context.parameters;
  const start = sinceNs(trial, since) ?? trial.startNs;
  const watchedMs = ((trial.endNs - start) / 1e6) * trial.warp;
  const values = Array.isArray(seen) ? (seen as readonly (number | null)[]) : [seen as number | null];
  return values.map((value) => ({
    trial: trial.trial,
    ms: value ?? (watchedMs >= within + stableFor ? Number.POSITIVE_INFINITY : undefined),
  }));
}

function bound(context: CheckContext<Parameters>): NonNullable<Judgement['bound']> {
  return { op: '<=', value: context.parameters.within, unit: 'ms' };
}

function unanswered(context: CheckContext<Parameters>, sentence: string): Judgement {
  return { verdict: 'inconclusive', sentence, findings: [], bound: bound(context) };
}

function judgeInvariant(
  context: CheckContext<Parameters>,
  recoveries: readonly Recovery[],
  unknown: number,
): Judgement {
  const { within } = context.parameters;
  const late = recoveries.filter(({ ms }) => ms !== undefined && ms > within);
  if (late.length > 0) {
    return {
      verdict: 'fail',
      bound: bound(context),
      sentence: `Recovery took longer than ${formatDurationMs(within)} in ${late.length} of ${recoveries.length} cases.`,
      findings: late.slice(0, 20).map(({ trial, ms }) => ({
        subject: 'recovery',
        observed:
          ms === Number.POSITIVE_INFINITY
            ? 'not seen while watched'
            : `after ${formatDurationMs(ms as number)}`,
        expected: `within ${formatDurationMs(within)}`,
        trial,
      })),
    };
  }
  if (unknown > 0) {
    return unanswered(
      context,
      `${unknown} of ${recoveries.length} cases had not recovered when the watch ended, before the bound of ${formatDurationMs(within)}.`,
    );
  }
  const slowest = Math.max(...recoveries.map(({ ms }) => ms as number));
  const excludes = excludedRate(0, context.trials.length);
  return {
    verdict: 'pass',
    bound: bound(context),
    estimate: slowest,
    excludesRate: excludes,
    sentence: `All ${recoveries.length} recoveries took at most ${formatDurationMs(slowest)} of ${formatDurationMs(within)} allowed (excludes a violation rate above ${formatNumber(excludes * 100)} %).`,
    findings: [],
  };
}

function judgeEstimate(
  context: CheckContext<Parameters>,
  recoveries: readonly Recovery[],
  unknown: number,
): Judgement {
  const { within, statistic } = context.parameters;
  // Watched too briefly to know: the least favourable reading is that they never recovered.
  const values = recoveries.map(({ ms }) => ms ?? Number.POSITIVE_INFINITY);
  const { value, interval } = estimate(values, statistic, { level: context.level, seed: context.spec.title });
  if (!interval) {
    return unanswered(
      context,
      `${recoveries.length} recoveries${unknown > 0 ? ` (${unknown} watched too briefly)` : ''} are too few for an interval.`,
    );
  }
  const place = placeInterval(interval, '<=', within);
  const verdict =
    place === 'within' ? 'pass' : place === 'outside' && unknown === 0 ? 'fail' : 'inconclusive';
  const name =
    typeof statistic === 'string' ? statistic : `${formatNumber(statistic.quantile * 100)} % quantile`;
  const end = (ms: number): string => (Number.isFinite(ms) ? formatDurationMs(ms) : 'never');
  return {
    verdict,
    bound: bound(context),
    sentence: `The ${name} of recovery is ${end(value)} (interval ${end(interval.low)} to ${end(interval.high)}, ${recoveries.length} recoveries) against ${formatDurationMs(within)}.`,
    ...(Number.isFinite(value) ? { estimate: value } : {}),
    ...(Number.isFinite(interval.low) && Number.isFinite(interval.high) ? { interval } : {}),
    findings:
      verdict === 'fail'
        ? [
            {
              subject: `${name} of recovery`,
              observed: end(value),
              expected: `within ${formatDurationMs(within)}`,
            },
          ]
        : [],
  };
}
