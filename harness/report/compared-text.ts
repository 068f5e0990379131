import { formatNumber, pValueText } from '../check/index.ts';
import type { ComparedMeasureRow, RunComparison } from './compared-runs.ts';
import { plainText } from './plain-text.ts';
import { summaryText } from './summary.ts';
import { textTable } from './text-table.ts';

const ROWS_LIMIT = 60;

/** Interval wholly on one side of zero. */
export function isClear({ interval }: ComparedMeasureRow): boolean {
  return interval !== undefined && (interval.low > 0 || interval.high < 0);
}

export function effectText({ effect, interval }: ComparedMeasureRow): string {
  if (effect === undefined) return '–';
  const sign = effect > 0 ? '+' : '';
  const range = interval ? ` [${formatNumber(interval.low)}, ${formatNumber(interval.high)}]` : '';
  return `${sign}${formatNumber(effect)}${range}`;
}

/** What differs between two runs, for a console. */
export function renderComparedText({
  before,
  after,
  points,
  onlyBefore,
  onlyAfter,
  cautions,
}: RunComparison): string {
  const changed = points.flatMap((point) =>
    point.changed.map((one) => `${one.title} [${point.pointId}]: was ${one.before}, is ${one.after}`),
  );
  const rows = points.flatMap((point) =>
    point.measures
      .filter(isClear)
      .map((row) => [
        point.pointId,
        row.title,
        summaryText(row.before),
        summaryText(row.after),
        effectText(row),
        row.pValue === undefined ? '–' : pValueText(row.pValue),
      ]),
  );
  const table =
    rows.length === 0
      ? ['no measure differs clearly (95 %)']
      : [
          textTable(
            ['point', 'measure', before.run.runId, after.run.runId, 'difference', 'p'],
            rows.slice(0, ROWS_LIMIT).map((row) => row.map((cell) => plainText(cell, 60))),
          ),
          ...(rows.length > ROWS_LIMIT ? [`and ${rows.length - ROWS_LIMIT} more in the page`] : []),
        ];
  const lines = [
    `${before.run.runId} (${before.run.verdict}) and ${after.run.runId} (${after.run.verdict}): ${points.length} points in both`,
    ...(onlyBefore.length > 0 ? [`only in the first: ${onlyBefore.length} points`] : []),
    ...(onlyAfter.length > 0 ? [`only in the second: ${onlyAfter.length} points`] : []),
    ...(changed.length > 0 ? changed : ['every check says the same in both']),
  ];
  return `${[...lines.map((line) => plainText(line, 400)), ...table, ...cautions.map((one) => plainText(one))].join('\n')}\n`;
}
