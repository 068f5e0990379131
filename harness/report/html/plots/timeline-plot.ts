import * as Plot from '@observablehq/plot';
import { countOf, formatNumber } from '../../../check/index.ts';
import type { TrialRecord } from '../../../record/index.ts';
import type { TrialTimeline } from '../../load-report.ts';
import { plainText } from '../../plain-text.ts';
import { html, join, type Markup } from '../template.ts';
import { drawPlot, type PlotSize, SIZES, svgOf } from './plot-svg.ts';
import { type Bin, type Half, type Lane, lanesOf, type Span, type Tick } from './timeline-lanes.ts';

const COLORS: Readonly<Record<Half, string>> = { others: 'var(--series-0)', touched: 'var(--series-1)' };
const LABEL_ROOM_PX = 200;
const TOP_PX = 58;
const BOTTOM_PX = 44;

interface Window extends Span {
  readonly name: string;
}

interface Drawing {
  readonly span: Span;
  readonly phases: readonly Window[];
  readonly faults: readonly Window[];
  readonly lanes: readonly Lane[];
}

/** One trial against time: phases above, fault windows shaded, a lane a kind of event. Unwarped seconds from the first fault. */
export function timelinePlot({ title, trial, events, event }: TrialTimeline): Markup | undefined {
  const applied = trial.faults.flatMap((fault) => fault.appliedNs ?? []);
  const zeroNs = applied.length === 0 ? trial.startNs : Math.min(...applied);
  const seconds = (ns: number): number => ((ns - zeroNs) / 1e9) * trial.warp;
  const span = { from: seconds(trial.startNs), to: seconds(trial.endNs) };
  const lanes = lanesOf(trial, events, event, seconds, span);
  if (lanes.length === 0) return undefined;
  const drawing: Drawing = {
    span,
    lanes,
    faults: faultWindows(trial, seconds, span.to),
    phases: trial.phases.map((phase) => ({
      from: seconds(phase.startNs),
      to: seconds(phase.endNs),
      name: plainText(phase.name, 20),
    })),
  };
  const label = plainText(`${title}: ${lanes.map((lane) => `${lane.name} ${lane.count}`).join(', ')}`, 500);
  const plots = SIZES.map((size) => svgOf(draw(drawing, size), size, label));
  return html`<figure><figcaption><b>${title}</b><span>${caption(trial)}</span></figcaption>${join(plots)}</figure>`;
}

function caption(trial: TrialRecord): string {
  const outcome = trial.outcome === 'completed' ? '' : ` (${trial.outcome})`;
  const warp = trial.warp === 1 ? '' : `, unwarped (warp ${trial.warp})`;
  const halves =
    trial.faults.length === 0
      ? ''
      : ' In each lane, orange below the line are events of nodes that a fault touched, blue above it those of the others.';
  return `Trial ${trial.trial} at ${trial.pointId}${outcome}; seconds from the first fault${warp}. Shaded: a fault in force.${halves} Busy lanes are drawn as densities.`;
}

function faultWindows(trial: TrialRecord, seconds: (ns: number) => number, end: number): Window[] {
  return trial.faults.flatMap(({ appliedNs, liftedNs, kind, targets }) => {
    if (appliedNs === undefined) return [];
    const name = plainText(`${kind} on ${countOf(targets.length, 'node')}`, 40);
    return [{ from: seconds(appliedNs), to: liftedNs === undefined ? end : seconds(liftedNs), name }];
  });
}

function draw(drawing: Drawing, size: PlotSize): ReturnType<typeof drawPlot> {
  const { span, lanes } = drawing;
  const laneHeightPx = size.stacked ? 34 : 28;
  const longest = Math.max(...lanes.map((lane) => lane.name.length));
  const text = new Map(lanes.map((lane) => [lane.name, `${lane.name}  ${formatNumber(lane.count)}`]));
  return drawPlot({
    width: size.width,
    height: TOP_PX + BOTTOM_PX + laneHeightPx * lanes.length,
    marginTop: TOP_PX,
    marginLeft: size.stacked ? 8 : Math.min(260, 24 + 7.4 * (longest + 6)),
    marginRight: 16,
    marginBottom: BOTTOM_PX,
    x: {
      domain: [span.from, span.to],
      label: 'seconds from the first fault →',
      labelAnchor: 'center',
      labelOffset: 38,
      ticks: size.stacked ? 5 : 12,
    },
    y: {
      domain: lanes.map((lane) => lane.name),
      label: null,
      tickSize: 0,
      padding: size.stacked ? 0.5 : 0.24,
      ...(size.stacked ? { ticks: [] } : { tickFormat: (name: string) => text.get(name) ?? name }),
    },
    marks: [
      ...windowMarks(drawing, size),
      ...laneMarks(lanes, laneHeightPx * (size.stacked ? 0.5 : 0.76)),
      ...(size.stacked ? [laneNames(lanes, text, laneHeightPx)] : []),
    ],
  });
}

function windowMarks({ span, phases, faults }: Drawing, size: PlotSize): Plot.Markish[] {
  const pxPerSecond = (size.width - LABEL_ROOM_PX) / Math.max(1e-9, span.to - span.from);
  const roomy = phases.filter((phase) => (phase.to - phase.from) * pxPerSecond > 7 * phase.name.length);
  const edges = faults.flatMap((one) => [one.from, one.to]);
  return [
    Plot.rectX(faults, { x1: 'from', x2: 'to', fill: COLORS.touched, fillOpacity: 0.13 }),
    Plot.ruleX(edges, { stroke: COLORS.touched, strokeOpacity: 0.7 }),
    Plot.text(faults, {
      x: 'from',
      text: 'name',
      frameAnchor: 'top',
      dy: -14,
      dx: 3,
      textAnchor: 'start',
      fill: COLORS.touched,
      fontWeight: 650,
    }),
    Plot.ruleX(
      phases.slice(1).map((phase) => phase.from),
      { stroke: 'currentColor', strokeOpacity: 0.25, strokeDasharray: '2,3' },
    ),
    Plot.text(roomy, {
      x: (phase: Window) => (phase.from + phase.to) / 2,
      text: 'name',
      frameAnchor: 'top',
      dy: -38,
      fillOpacity: 0.65,
    }),
  ];
}

function laneMarks(lanes: readonly Lane[], bandPx: number): Plot.Markish[] {
  const halves: readonly Half[] = ['others', 'touched'];
  const ruled = Plot.ruleY(lanes, { y: 'name', stroke: 'currentColor', strokeOpacity: 0.18 });
  return [
    ruled,
    ...halves.flatMap((half) => {
      const inset = half === 'others' ? { insetBottom: bandPx / 2 } : { insetTop: bandPx / 2 };
      const bins = lanes.flatMap((lane) => lane.bins).filter((bin) => bin.half === half);
      const ticks = lanes.flatMap((lane) => lane.ticks).filter((tick: Tick) => tick.half === half);
      return [
        Plot.rect(bins, {
          x1: 'from',
          x2: 'to',
          y: 'lane',
          ...inset,
          fill: COLORS[half],
          fillOpacity: (bin: Bin) => 0.15 + 0.85 * bin.weight,
        }),
        Plot.tickX(ticks, {
          x: 'at',
          y: 'lane',
          ...inset,
          stroke: COLORS[half],
          strokeWidth: 1.4,
          strokeOpacity: 0.75,
        }),
      ];
    }),
  ];
}

/** On a telephone the names stand over their lanes, where there is no room beside them. */
function laneNames(
  lanes: readonly Lane[],
  text: ReadonlyMap<string, string>,
  laneHeightPx: number,
): Plot.Markish {
  return Plot.text(lanes, {
    y: 'name',
    text: (lane: Lane) => text.get(lane.name) ?? lane.name,
    frameAnchor: 'left',
    dy: -laneHeightPx / 2 + 2,
    dx: 2,
    textAnchor: 'start',
    fontSize: 11.5,
    stroke: 'var(--paper)',
    strokeWidth: 3,
    fill: 'currentColor',
  });
}
