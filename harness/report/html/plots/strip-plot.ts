import * as Plot from '@observablehq/plot';
import type { PlannedScenario, PlotSpec, PointResult } from '../../../record/index.ts';
import { axesOf, pointText } from '../../cases.ts';
import { plainText } from '../../plain-text.ts';
import { seriesColor } from '../palette.ts';
import { html, join, type Markup } from '../template.ts';
import { measureLabel } from './measure-label.ts';
import { drawPlot, type PlotSize, SIZES, svgOf } from './plot-svg.ts';
import { symlogTicks } from './symlog-ticks.ts';

/** More points than this belong on a line, or in the table. */
const ROWS_LIMIT = 24;

interface Row {
  readonly name: string;
  readonly values: readonly number[];
  readonly mean: number | undefined;
  readonly low: number | undefined;
  readonly high: number | undefined;
}

/** A row a point, every trial a dot, the mean a bar with its interval: for a grid whose line would have a single place. */
export function stripPlot(
  spec: PlotSpec,
  scenario: PlannedScenario,
  points: readonly PointResult[],
): Markup | undefined {
  const axes = axesOf(points, scenario);
  const rows = points.flatMap((point): Row[] => {
    const summary = point.measures[spec.y];
    const values = (summary?.values ?? []).filter((value) => value !== null);
    if (!summary || values.length === 0) return [];
    const { mean, interval } = summary;
    const name = plainText(pointText(point.point, axes, scenario), 40);
    return [
      {
        name,
        values,
        mean,
        low: interval && Math.max(Math.min(0, summary.min ?? 0), interval.low),
        high: interval?.high,
      },
    ];
  });
  if (
    rows.length === 0 ||
    rows.length > ROWS_LIMIT ||
    new Set(rows.map((row) => row.name)).size < rows.length
  )
    return undefined;
  const label = `${spec.title}: ${rows.map((row) => `${row.name} ${row.mean ?? ''}`).join(', ')}`;
  const plots = SIZES.map((size) =>
    svgOf(draw(spec, rows, size, measureLabel(spec.y, scenario)), size, plainText(label, 400)),
  );
  return html`<figure><figcaption><b>${measureLabel(spec.y, scenario)}</b><span>Dots are trials, upright bars the means, level ones 95 % intervals.</span></figcaption>${join(plots)}</figure>`;
}

function draw(
  spec: PlotSpec,
  rows: readonly Row[],
  size: PlotSize,
  xLabel: string,
): ReturnType<typeof drawPlot> {
  const trials = rows.flatMap((row) => row.values.map((value) => ({ name: row.name, value })));
  const top = Math.max(1, ...trials.map((trial) => trial.value), ...rows.map((row) => row.high ?? 0));
  const color = ({ name }: { readonly name: string }): string =>
    seriesColor(rows.findIndex((row) => row.name === name));
  const longest = Math.max(...rows.map((row) => row.name.length));
  const symlog = spec.yScale === 'symlog';
  return drawPlot({
    width: size.width,
    height: 40 + 56 + rows.length * 46,
    marginTop: 14,
    marginBottom: 46,
    marginLeft: Math.min(size.stacked ? 130 : 300, 20 + 7.6 * longest),
    marginRight: 70,
    x: {
      label: `${xLabel} →`,
      labelAnchor: 'center',
      labelOffset: 38,
      grid: true,
      domain: [Math.min(0, ...trials.map((trial) => trial.value)), top * (symlog ? 1.4 : 1.06)],
      ...(symlog
        ? {
            type: 'symlog' as const,
            constant: 1,
            ticks: symlogTicks(top),
            tickFormat: (value: number) => value.toLocaleString('en'),
          }
        : { ticks: size.stacked ? 4 : 8 }),
    },
    y: { domain: rows.map((row) => row.name), label: null, tickSize: 0, padding: 0.3 },
    marks: [
      Plot.ruleX([0], { stroke: 'currentColor', strokeOpacity: 0.45 }),
      Plot.ruleY(rows, { y: 'name', stroke: 'currentColor', strokeOpacity: 0.12 }),
      Plot.ruleY(
        rows.filter((row) => row.high !== undefined && row.high !== row.low),
        { y: 'name', x1: 'low', x2: 'high', stroke: color, strokeWidth: 2, strokeOpacity: 0.5 },
      ),
      Plot.dot(trials, { x: 'value', y: 'name', r: 4.5, fill: color, fillOpacity: 0.55 }),
      Plot.tickX(
        rows.filter((row) => row.mean !== undefined),
        { x: 'mean', y: 'name', stroke: color, strokeWidth: 2.5 },
      ),
      Plot.text(
        rows.filter((row) => row.mean !== undefined),
        {
          x: (row: Row) => Math.max(row.high ?? 0, ...row.values),
          y: 'name',
          text: (row: Row) => String(Number((row.mean as number).toPrecision(3))),
          dx: 12,
          textAnchor: 'start',
          fontWeight: 600,
          fill: color,
        },
      ),
    ],
  });
}
