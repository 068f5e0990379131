import {
  type AggregateResult,
  type AggregateSpec,
  matchesPoint,
  type PointResult,
  type PublishedValue,
} from '../record/index.ts';
import { clopperPearson, estimate } from '../stats/index.ts';
import { formatNumber, formatQuantity } from './bound.ts';
import { countOf } from './count-of.ts';

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function observed(points: readonly PointResult[], measure: string, firstTrials?: number): number[] {
  return points.flatMap((point) =>
    (point.measures[measure]?.values ?? [])
      .slice(0, firstTrials)
      .filter((value): value is number => value !== null),
  );
}

/** The smallest value of `along` at a point where some trial had the measure above 0; null when there is none. */
function onset(
  points: readonly PointResult[],
  spec: AggregateSpec,
): { readonly value: number | null; readonly detail: string } {
  const along = (of: readonly PointResult[]) =>
    of
      .map((point) => point.point[spec.along ?? ''])
      .filter((value): value is number => typeof value === 'number');
  const valuesAt = (point: PointResult) => observed([point], spec.measure, spec.firstTrials);
  const leaking = along(points.filter((point) => valuesAt(point).some((value) => value > 0)));
  if (leaking.length === 0) return { value: null, detail: '' };
  const value = Math.min(...leaking);
  const run = along(points.filter((point) => valuesAt(point).length > 0));
  const detail = value === Math.min(...run) ? ', the least that was run: it may begin before' : '';
  return { value, detail };
}

/** Of a mean over trials, for people; nothing where there are too few. */
function meanInterval(values: readonly number[], seed: string): string {
  return intervalText(values.length > 1 ? estimate(values, 'mean', { seed }).interval : undefined);
}

/** Of a share of the trials: both sides are 0 or 1 in each. A ratio of other counts has trials that are not alike. */
function shareInterval(parts: readonly number[], wholes: readonly number[]): string {
  const isShare =
    wholes.length > 0 && wholes.every((one) => one === 1) && parts.every((one) => one === 0 || one === 1);
  const known = isShare && parts.length <= wholes.length;
  return intervalText(known ? clopperPearson(sumOf(parts), wholes.length) : undefined);
}

function intervalText(interval: { readonly low: number; readonly high: number } | undefined): string {
  return interval ? `, 95 % interval ${formatNumber(interval.low)} to ${formatNumber(interval.high)}` : '';
}

interface Figure {
  readonly value: number | null;
  readonly short?: boolean;
  readonly points: number;
  readonly trials: number;
  readonly detail: string;
}

/** One figure over the points of a scenario that match; pure. Voids, errors and aborted trials are not in the points' values. */
export function aggregate(
  spec: AggregateSpec,
  points: readonly PointResult[],
  published: readonly PublishedValue[],
  home: { readonly suite: string; readonly scenario: string },
): AggregateResult {
  const figure = figureOf(spec, points);
  const less = spec.less && figureOf({ ...spec, where: { ...spec.where, ...spec.less } }, points);
  return {
    ...home,
    title: spec.title,
    unit: spec.unit,
    ...(less ? difference(figure, less, spec.unit) : figure),
    published: published.filter((entry) => spec.published?.includes(entry.id)),
  };
}

function difference(figure: Figure, less: Figure, unit: string): Figure {
  const told = ({ value, detail }: Figure): string =>
    `${value === null ? '–' : formatQuantity(value, unit)} (${detail})`;
  const known = figure.value !== null && less.value !== null;
  return {
    value: known ? figure.value - less.value : null,
    ...(!known && { short: true }),
    points: figure.points + less.points,
    trials: figure.trials + less.trials,
    detail: `${told(figure)} less ${told(less)}`,
  };
}

function figureOf(spec: AggregateSpec, points: readonly PointResult[]): Figure {
  const matching = points.filter((point) => matchesPoint(point.point, spec.where));
  const { firstTrials } = spec;
  const values = observed(matching, spec.measure, firstTrials);
  const overAll = `${countOf(values.length, 'trial')} over ${countOf(matching.length, 'point')}`;
  const over = firstTrials === undefined ? overAll : `${overAll}, at most the first ${firstTrials} of each`;
  const { trials: leastTrials = 0, points: leastPoints = 0 } = spec.atLeast ?? {};
  const result = (value: number | null, detail: string): Figure => ({
    value: values.length === 0 ? null : value,
    points: matching.length,
    trials: values.length,
    detail,
  });
  const seen = matching.filter((point) => observed([point], spec.measure, firstTrials).length > 0).length;
  if (values.length < leastTrials || seen < leastPoints) {
    const wanted = [
      ...(leastTrials > 0 ? [countOf(leastTrials, 'trial')] : []),
      ...(leastPoints > 0 ? [countOf(leastPoints, 'point')] : []),
    ];
    const had = `${countOf(values.length, 'trial')} over ${countOf(seen, 'point')}`;
    return { ...result(null, `${had}; at least ${wanted.join(' over ')} wanted`), short: true };
  }
  switch (spec.op) {
    case 'sum':
      return result(sumOf(values), over);
    case 'max':
      return result(values.length === 0 ? null : Math.max(...values), over);
    case 'mean':
      return result(sumOf(values) / values.length, `${over}${meanInterval(values, spec.title)}`);
    case 'trials':
      return result(values.length, over);
    case 'onset': {
      const { value, detail } = onset(matching, spec);
      return result(value, `${over}${detail}`);
    }
    case 'ratio': {
      const divisors = observed(matching, spec.of ?? '', firstTrials);
      const whole = sumOf(divisors);
      const part = sumOf(values);
      const interval = shareInterval(values, divisors);
      const share = spec.unit === '%' ? (100 * part) / whole : part / whole;
      return result(whole === 0 ? null : share, `${part} of ${whole}, ${over}${interval}`);
    }
  }
}
