import * as Plot from '@observablehq/plot';
import type { PlannedScenario, PlotSpec, PointResult } from '../../../record/index.ts';
import { kaplanMeier, survivalQuantile } from '../../../stats/index.ts';
import { parameterText, seriesText } from '../../cases.ts';
import { plainText } from '../../plain-text.ts';
import { seriesColor } from '../palette.ts';
import { html, join, type Markup } from '../template.ts';
import { drawPlot, type PlotSize, SIZES, svgOf } from './plot-svg.ts';

interface Curve {
  readonly series: string;
  readonly facet: string;
  readonly steps: readonly {
    readonly time: number;
    readonly surviving: number;
    readonly low: number;
    readonly high: number;
  }[];
  readonly median: number | undefined;
  readonly censored: number;
  readonly count: number;
}

/** Share not yet happened against time (Kaplan–Meier), with its band; what never happened is censored, not dropped. */
export function survivalPlot(
  spec: PlotSpec,
  scenario: PlannedScenario,
  points: readonly PointResult[],
  endOf: (point: PointResult) => number | undefined,
): Markup | undefined {
  const curves = points.flatMap((point) => curveOf(spec, scenario, point, endOf(point)));
  if (curves.length === 0) return undefined;
  const unit = scenario.measures.find((one) => one.name === spec.y)?.unit ?? '';
  const censored = curves.reduce((sum, curve) => sum + curve.censored, 0);
  const label = `${spec.title}: ${curves.map((curve) => `${[curve.series, curve.facet].filter(Boolean).join(' ')} median ${curve.median ?? 'not reached'}`).join(', ')}`;
  const plots = SIZES.map((size) => svgOf(draw(spec, curves, size, unit), size, plainText(label, 400)));
  const note = `Kaplan–Meier curves with 95 % bands; ${curves.reduce((sum, curve) => sum + curve.count, 0)} observations, ${censored} of them not seen while watched. Dots mark the medians, which stand beside the names.`;
  return html`<figure><figcaption><b>${spec.title}</b><span>${note}</span></figcaption>${join(plots)}</figure>`;
}

function curveOf(
  spec: PlotSpec,
  scenario: PlannedScenario,
  result: PointResult,
  endTime: number | undefined,
): Curve[] {
  const values = result.measures[spec.y]?.values ?? [];
  if (values.length === 0) return [];
  const last = values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  const observations = values.map((value) =>
    value === null
      ? { time: Math.max(last, endTime ?? last), happened: false }
      : { time: value, happened: true },
  );
  const steps = kaplanMeier(observations);
  return [
    {
      series: plainText(seriesText(result.point, spec.series, scenario), 40),
      facet: spec.facet === undefined ? '' : plainText(parameterText(result.point, spec.facet, scenario), 40),
      steps: [{ time: 0, surviving: 1, low: 1, high: 1 }, ...steps],
      median: survivalQuantile(steps, 0.5),
      censored: values.filter((value) => value === null).length,
      count: values.length,
    },
  ];
}

function draw(
  spec: PlotSpec,
  curves: readonly Curve[],
  size: PlotSize,
  unit: string,
): ReturnType<typeof drawPlot> {
  const series = [...new Set(curves.map((curve) => curve.series))];
  const facets = [...new Set(curves.map((curve) => curve.facet))];
  const faceted = facets.length > 1;
  const channel = faceted ? (size.stacked ? { fy: 'facet' } : { fx: 'facet' }) : {};
  const rows = curves.flatMap((curve) =>
    curve.steps.map((step) => ({ ...step, series: curve.series, facet: curve.facet })),
  );
  const medians = curves.flatMap((curve) =>
    curve.median === undefined ? [] : [{ ...curve, time: curve.median, surviving: 0.5 }],
  );
  const color = (row: { readonly series: string }): string => seriesColor(series.indexOf(row.series));
  const seen = rows.filter((row) => row.time > 0 && row.surviving < 1).map((row) => row.time);
  const [first, last] = [
    Math.min(...seen),
    Math.max(...medians.map((one) => one.time), ...curves.map(lastSeen)),
  ];
  const margin = (last - first) * 0.12 || 1;
  return drawPlot({
    width: size.width,
    height: (size.stacked ? 240 : 360) * (size.stacked && faceted ? facets.length : 1) + 60,
    marginLeft: 52,
    marginRight: 24,
    marginTop: faceted ? 44 : 30,
    marginBottom: 44,
    x: {
      label: `time after the fault${unit ? ` (${unit})` : ''} →`,
      labelAnchor: 'center',
      labelOffset: 38,
      domain: [Math.max(0, first - margin), last + margin],
      clamp: false,
    },
    y: {
      label: '↑ not yet (%)',
      domain: [0, 100],
      grid: true,
      ticks: 5,
      transform: (share: number) => share * 100,
    },
    ...(faceted
      ? {
          [size.stacked ? 'fy' : 'fx']: {
            domain: facets,
            label: null,
            tickFormat: () => '',
            padding: size.stacked ? 0.22 : 0.07,
          },
        }
      : {}),
    marks: [
      Plot.ruleY([0], { stroke: 'currentColor', strokeOpacity: 0.45 }),
      Plot.areaY(rows, {
        x: 'time',
        y1: 'low',
        y2: 'high',
        z: 'series',
        ...channel,
        curve: 'step-after',
        clip: true,
        fill: color,
        fillOpacity: 0.11,
      }),
      Plot.line(rows, {
        x: 'time',
        y: 'surviving',
        z: 'series',
        ...channel,
        curve: 'step-after',
        clip: true,
        stroke: color,
        strokeWidth: 2.1,
      }),
      Plot.dot(medians, {
        x: 'time',
        y: 'surviving',
        ...channel,
        r: 4.2,
        fill: color,
        stroke: 'var(--paper)',
        strokeWidth: 1.2,
      }),
      ...(faceted
        ? [
            Plot.text(
              facets.map((facet) => ({ facet, text: `${spec.facet} ${facet}` })),
              {
                text: 'text',
                ...channel,
                frameAnchor: 'top-left',
                dy: size.stacked ? -18 : -26,
                fontWeight: 650,
                textAnchor: 'start',
              },
            ),
          ]
        : []),
      ...medianLabels(curves, series, facets, channel),
    ],
  });
}

/** When the curve last fell: what comes after is a level line of what was never seen. */
function lastSeen({ steps }: Curve): number {
  return steps.reduce(
    (last, step, index) =>
      index > 0 && step.surviving < (steps[index - 1]?.surviving ?? 1) ? step.time : last,
    0,
  );
}

/** `both 12.3`, by the median, in the corner that a falling curve leaves empty. */
function medianLabels(
  curves: readonly Curve[],
  series: readonly string[],
  facets: readonly string[],
  channel: object,
): Plot.Markish[] {
  const lineHeightPx = 18;
  return facets.flatMap((facet) => {
    const own = curves.filter((curve) => curve.facet === facet);
    const ordered = [...own].sort(
      (a, b) => (a.median ?? Number.POSITIVE_INFINITY) - (b.median ?? Number.POSITIVE_INFINITY),
    );
    return ordered.map((curve, index) =>
      Plot.text([{ facet }], {
        ...channel,
        text: () =>
          `${curve.series} ${curve.median === undefined ? 'not half' : Number(curve.median.toPrecision(3))}`.trim(),
        frameAnchor: 'top-right',
        dx: -4,
        dy: 6 + index * lineHeightPx,
        textAnchor: 'end',
        fontWeight: 600,
        fill: seriesColor(series.indexOf(curve.series)),
        stroke: 'var(--paper)',
        strokeWidth: 4,
      }),
    );
  });
}
