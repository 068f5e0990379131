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
  /** Of the waves that were played, and why they were not as large as was asked for, if they were not. */
  readonly largestWave: {
    readonly nodes: number;
    readonly roles: Readonly<Record<string, number>>;
    readonly smaller?: { readonly askedNodes: number; readonly why: string };
  };
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
      `${titleOf(measures, metric.measure)}${metric.role !== 'secondary' ? ' *' : ''}`,
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

export interface RehearsalProgress {
  /** Whole rounds so far, at how many the sides are compared next, and the most that there may be. */
  readonly rounds: number;
  readonly nextLook: number | undefined;
  readonly mostRounds: number;
  /** What a round took so far; absent before the first was whole. */
  readonly roundMs?: number;
  /** Absent without a budget. */
  readonly budgetLeftMs?: number;
}

/** Time left, for people: to the next look and to the last round, at the pace so far, and of the budget. */
export function timeLeftText({
  rounds,
  nextLook,
  mostRounds,
  roundMs,
  budgetLeftMs,
}: RehearsalProgress): string {
  const until = (round: number): string => formatDurationMs(Math.max(0, round - rounds) * (roundMs ?? 0));
  const looks = nextLook === undefined ? '' : `about ${until(nextLook)} to the look at ${nextLook}, `;
  return [
    `${rounds} of at most ${mostRounds} waves a side are whole`,
    ...(roundMs === undefined ? [] : [`${looks}${until(mostRounds)} to the last`]),
    ...(budgetLeftMs === undefined
      ? []
      : [`${formatDurationMs(Math.max(0, budgetLeftMs))} of the budget left`]),
  ].join('; ');
}
