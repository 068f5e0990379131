import { formatNumber, formatQuantity, titleOf } from '../check/index.ts';
import type { ComparisonResult, MeasureSpec, NodeRecord, RunRecord } from '../record/index.ts';
import { formatDurationMs } from '../units/index.ts';

/** What a rehearsal came to, for a release manager and for programs. */
export interface RehearsalResult {
  readonly sentence: string;
  readonly verdict: RunRecord['verdict'];
  readonly comparisons: readonly ComparisonResult[];
  /** Images with the ids that ran, to sign off. */
  readonly images: readonly {
    readonly side: string;
    readonly role: string;
    readonly image: string;
    readonly imageId: string;
  }[];
  readonly largestWave: { readonly nodes: number; readonly roles: Readonly<Record<string, number>> };
  readonly why: string;
}

/** Rows of the table of one comparison: measure, both sides, difference, interval, margin, p, outcome. */
export function rehearsalRows(
  one: ComparisonResult,
  measures: readonly MeasureSpec[],
): { readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] } {
  const header = ['measure', one.baseline, one.candidate, 'difference', 'interval', 'margin', 'p', 'outcome'];
  const value = (number: number | undefined, unit: string, open = 0): string =>
    number === undefined ? '–' : `${open > 0 ? '≥ ' : ''}${formatQuantity(number, unit)}`;
  const rows = one.metrics.map((metric) => {
    const p = metric.adjustedPValue ?? metric.pValue;
    return [
      `${titleOf(measures, metric.measure)}${metric.role === 'primary' ? ' *' : ''}`,
      value(metric.baselineEstimate, metric.unit, metric.baselineOpen),
      value(metric.candidateEstimate, metric.unit, metric.candidateOpen),
      value(metric.effect, metric.unit),
      metric.interval ? `${formatNumber(metric.interval.low)} to ${formatNumber(metric.interval.high)}` : '–',
      formatQuantity(metric.margin, metric.unit),
      p === undefined ? '–' : formatNumber(p),
      metric.outcome,
    ];
  });
  return { header, rows };
}

/** Images by side and role with their ids, from the nodes of one wave a side. */
export function imagesOf(
  waves: readonly { readonly side: string; readonly nodes: readonly NodeRecord[] }[],
): RehearsalResult['images'] {
  const seen = new Map<string, RehearsalResult['images'][number]>();
  for (const { side, nodes } of waves) {
    for (const { role, image, imageId } of nodes)
      seen.set(`${side} ${role} ${imageId}`, { side, role, image, imageId });
  }
  return [...seen.values()];
}

/** Time left, for people, from what waves took so far. */
export function timeLeftText(leftMs: number | undefined): string {
  return leftMs === undefined
    ? 'no time limit'
    : `${formatDurationMs(Math.max(0, leftMs))} of the budget left`;
}
