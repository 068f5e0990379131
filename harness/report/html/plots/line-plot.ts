import * as Plot from '@observablehq/plot';
import { placeOf } from '../../../check/index.ts';
import type { PlannedScenario, PlotSpec, PointResult, PublishedValue } from '../../../record/index.ts';
import { parameterText, seriesText } from '../../cases.ts';
import { plainText } from '../../plain-text.ts';
import { seriesColor } from '../palette.ts';
import { html, join, type Markup } from '../template.ts';
import { measureLabel } from './measure-label.ts';
import { axisOf, type PlotAxis } from './plot-axis.ts';
import { drawPlot, type PlotSize, SIZES, spreadLabels, svgOf } from './plot-svg.ts';
import { symlogTicks } from './symlog-ticks.ts';

/** Figures that are written short from here on: `10M`. */
const COMPACT_FROM = 100_000;

interface Place {
  readonly x: number;
  readonly y: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
  readonly series: string;
  readonly facet: string;
}

interface LineData {
  readonly means: readonly Place[];
  readonly trials: readonly Place[];
  readonly published: readonly Place[];
  readonly series: readonly string[];
  readonly facets: readonly string[];
}

/** A measure against a parameter: a line through the means a series, its intervals, every trial, and published points. */
export function linePlot(
  spec: PlotSpec,
  scenario: PlannedScenario,
  points: readonly PointResult[],
): Markup | undefined {
  if (spec.x === undefined) return undefined;
  const axis = axisOf(spec.x, scenario);
  const data = collect(spec, axis, scenario, points);
  if (new Set(data.means.map((place) => place.x)).size < 2) return undefined;
  const yLabel = measureLabel(spec.y, scenario);
  const label = `${spec.title}: ${data.series.length} series at ${data.means.length} points; the table below has every figure.`;
  const plots = SIZES.map((size) => svgOf(draw(spec, axis, data, size, yLabel), size, label));
  const notes = [
    `Lines join the means, bars are 95 % intervals, dots are single trials`,
    ...(data.published.length > 0 ? ['diamonds are published values'] : []),
    ...(spec.reference ? ['dashed lines are reckoned, not measured'] : []),
    ...(spec.yScale === 'symlog' ? ['the vertical scale is logarithmic above 1 and straight below'] : []),
  ];
  return html`<figure><figcaption><b>${spec.title}</b><span>${notes.join('; ')}.</span></figcaption>${join(plots)}</figure>`;
}

function collect(
  spec: PlotSpec,
  axis: PlotAxis,
  scenario: PlannedScenario,
  points: readonly PointResult[],
): LineData {
  const textOf = {
    series: (point: PointResult['point']): string => plainText(seriesText(point, spec.series, scenario), 40),
    facet: (point: PointResult['point']): string =>
      spec.facet === undefined ? '' : plainText(parameterText(point, spec.facet, scenario), 40),
  };
  const place = (point: PointResult['point'], y: number): Place | undefined => {
    const x = axis.valueOf(point);
    return x === undefined ? undefined : { x, y, series: textOf.series(point), facet: textOf.facet(point) };
  };
  const means: Place[] = [];
  const trials: Place[] = [];
  const published: Place[] = [];
  for (const result of points) {
    const summary = result.measures[spec.y];
    const middle = summary?.mean ?? summary?.median;
    const at = middle === undefined ? undefined : place(result.point, middle);
    if (!summary || !at) continue;
    const interval = summary.mean === undefined ? summary.medianInterval : summary.interval;
    // An interval of a count may reach below zero; there is nothing there to draw.
    const floor = Math.min(0, summary.min ?? 0);
    means.push({ ...at, low: interval && Math.max(floor, interval.low), high: interval?.high });
    for (const value of summary.values) if (value !== null) trials.push({ ...at, y: value });
  }
  for (const value of uniquePublished(points, spec.y)) {
    const at = typeof value.value === 'number' ? place(placeOf(value, scenario), value.value) : undefined;
    if (at) published.push(at);
  }
  const unique = (name: 'series' | 'facet', order: string | undefined): string[] => {
    const seen = [
      ...new Map(
        points.map((point) => [textOf[name](point.point), order === undefined ? 0 : point.point[order]]),
      ),
    ];
    const texts = seen
      .sort(([, a], [, b]) => (typeof a === 'number' && typeof b === 'number' ? a - b : 0))
      .map(([text]) => text);
    return texts.filter((text) => means.some((one) => one[name] === text));
  };
  return {
    means,
    trials,
    published,
    series: unique('series', spec.series),
    facets: unique('facet', spec.facet),
  };
}

function uniquePublished(points: readonly PointResult[], measure: string): PublishedValue[] {
  const byId = new Map(points.flatMap((point) => point.published).map((value) => [value.id, value]));
  return [...byId.values()].filter((value) => value.measure === measure);
}

function draw(
  spec: PlotSpec,
  axis: PlotAxis,
  data: LineData,
  size: PlotSize,
  yLabel: string,
): ReturnType<typeof drawPlot> {
  const facetTitle = (facet: string): string => (spec.facet === undefined ? '' : `${spec.facet} ${facet}`);
  const faceted = data.facets.length > 1;
  const facet = faceted ? (size.stacked ? { fy: 'facet' } : { fx: 'facet' }) : {};
  const color = (place: Place): string => seriesColor(data.series.indexOf(place.series));
  const reckoned = (spec.reference ?? []).flatMap(({ places }) => places);
  const top = Math.max(1, ...[...data.trials, ...data.published, ...reckoned].map((one) => one.y));
  const xs = [...data.means, ...reckoned].map((one) => one.x);
  const facetHeight = size.stacked ? 250 : 400;
  const rows = faceted && size.stacked ? data.facets.length : 1;
  const labelRoom = 12 + 7.2 * Math.max(0, ...data.series.map((name) => name.length));
  const marginRight = size.stacked || data.series.length < 2 ? 24 : Math.min(230, labelRoom);
  const options: Plot.PlotOptions = {
    width: size.width,
    height: facetHeight * rows + 70,
    marginLeft: 52,
    marginRight,
    marginTop: faceted ? 44 : 30,
    marginBottom: 44,
    x: {
      label: `${axis.label} →`,
      labelAnchor: 'center',
      labelOffset: 38,
      nice: false,
      ...(spec.xScale === 'log'
        ? { type: 'log' as const, ticks: decades(Math.min(...xs), Math.max(...xs)), tickFormat: compact }
        : {
            ticks: axis.ticks(xs, size.width / (size.stacked ? 1 : Math.max(1, data.facets.length)) / 46),
            tickFormat: (value: number) => axis.format(value),
          }),
      insetLeft: 10,
      insetRight: 10,
    },
    y: {
      label: `↑ ${yLabel}`,
      grid: true,
      ...(spec.yScale === 'symlog'
        ? {
            type: 'symlog' as const,
            constant: 1,
            ticks: symlogTicks(top),
            tickFormat: top >= COMPACT_FROM ? compact : (value: number) => value.toLocaleString('en'),
          }
        : { nice: true }),
      domain: [
        Math.min(0, ...data.trials.map((one) => one.y)),
        top * (spec.yScale === 'symlog' ? 1.6 : 1.05),
      ],
    },
    ...(faceted
      ? {
          [size.stacked ? 'fy' : 'fx']: {
            domain: data.facets,
            label: null,
            tickFormat: () => '',
            padding: size.stacked ? 0.22 : 0.07,
          },
        }
      : {}),
    marks: marks(data, facet, color, facetTitle, faceted),
  };
  const plain = drawPlot(options);
  return drawPlot({
    ...options,
    marks: [...(options.marks ?? []), ...directLabels(data, plain, size, faceted)],
  });

  function marks(
    { means, trials, published, facets }: LineData,
    channels: object,
    fill: (place: Place) => string,
    title: (facet: string) => string,
    several: boolean,
  ): Plot.Markish[] {
    return [
      Plot.ruleY([0], { stroke: 'currentColor', strokeOpacity: 0.45 }),
      ...(spec.reference ?? []).flatMap(({ label, places }) => [
        Plot.line(places, {
          x: 'x',
          y: 'y',
          stroke: 'currentColor',
          strokeOpacity: 0.6,
          strokeDasharray: '5 4',
        }),
        Plot.text(places.slice(-1), {
          x: 'x',
          y: 'y',
          text: () => label,
          textAnchor: 'end',
          dy: -12,
          stroke: 'var(--paper)',
          strokeWidth: 4,
          fill: 'currentColor',
        }),
      ]),
      Plot.dot(trials, { x: 'x', y: 'y', ...channels, r: 2.2, fill, fillOpacity: 0.38 }),
      Plot.ruleX(
        means.filter((one) => one.high !== undefined && one.high !== one.low),
        {
          x: 'x',
          y1: 'low',
          y2: 'high',
          ...channels,
          stroke: fill,
          strokeWidth: 1.5,
          strokeOpacity: 0.6,
          // Of two trials an interval may be longer than the page.
          clip: true,
        },
      ),
      Plot.line(means, {
        x: 'x',
        y: 'y',
        z: 'series',
        ...channels,
        stroke: fill,
        strokeWidth: 2.2,
        sort: 'x',
      }),
      Plot.dot(means, { x: 'x', y: 'y', ...channels, r: 3.4, fill, stroke: 'var(--paper)', strokeWidth: 1 }),
      ...(published.length > 0
        ? [
            Plot.dot(published, {
              x: 'x',
              y: 'y',
              ...channels,
              symbol: 'diamond',
              r: 6,
              stroke: 'currentColor',
              strokeWidth: 1.8,
              fill: 'var(--paper)',
            }),
          ]
        : []),
      ...(several
        ? [
            Plot.text(
              facets.map((one) => ({ facet: one, text: title(one) })),
              {
                text: 'text',
                ...channels,
                frameAnchor: 'top-left',
                dy: size.stacked ? -18 : -26,
                dx: 2,
                fontWeight: 650,
                textAnchor: 'start',
              },
            ),
          ]
        : []),
    ];
  }
}

/** The name of each series beside its last point: in the last facet on a page, inside each one on a telephone. */
function directLabels(
  data: LineData,
  plain: ReturnType<typeof drawPlot>,
  size: PlotSize,
  faceted: boolean,
): Plot.Markish[] {
  const scale = plain.scale('y');
  if (data.series.length < 2 || !scale) return [];
  const facets = faceted ? (size.stacked ? data.facets : data.facets.slice(-1)) : [data.facets[0] ?? ''];
  return facets.flatMap((facet) => {
    const ends = data.series.flatMap((series) => {
      const own = data.means.filter((one) => one.series === series && (!faceted || one.facet === facet));
      const last = own.reduce<Place | undefined>(
        (right, one) => (right === undefined || one.x > right.x ? one : right),
        undefined,
      );
      return last ? [last] : [];
    });
    const places = ends.map((end) => scale.apply(end.y));
    return spreadLabels(places, 16).map((place, index) => {
      const end = ends[index] as Place;
      return Plot.text([end], {
        x: 'x',
        y: 'y',
        ...(faceted ? (size.stacked ? { fy: 'facet' } : { fx: 'facet' }) : {}),
        text: ['series'].map(() => end.series),
        dx: size.stacked ? -4 : 9,
        dy: place - (places[index] as number) - (size.stacked ? 10 : 0),
        textAnchor: size.stacked ? 'end' : 'start',
        fill: seriesColor(data.series.indexOf(end.series)),
        stroke: 'var(--paper)',
        strokeWidth: 4,
        fontWeight: 600,
      });
    });
  });
}

const compact = (value: number): string => value.toLocaleString('en', { notation: 'compact' });

/** Powers of ten from the one below `least` to the one above `most`. */
function decades(least: number, most: number): number[] {
  const first = Math.floor(Math.log10(Math.max(least, Number.MIN_VALUE)));
  const last = Math.ceil(Math.log10(Math.max(most, least)));
  return Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index));
}
