import * as Plot from '@observablehq/plot';
import { formatNumber } from '../../../check/index.ts';
import type { RecordedEvent, TrialRecord } from '../../../record/index.ts';
import type { TrialTimeline } from '../../load-report.ts';
import { plainText } from '../../plain-text.ts';
import { html, join, type Markup } from '../template.ts';
import { drawPlot, type PlotSize, SIZES, svgOf } from './plot-svg.ts';

/** Lanes beyond this many kinds of event are left out, the rarest last. */
const LANES_LIMIT = 12;
/** A lane with more events than this is drawn as a density. */
const TICKS_LIMIT = 400;
const BINS = 240;
/** The harness's own marks that phases and fault windows show already. */
const DRAWN_OTHERWISE = /^(phase|step|fault)\./;

interface Window {
  readonly from: number;
  readonly to: number;
  readonly name: string;
}

interface Lane {
  readonly name: string;
  readonly ticks: readonly { readonly at: number; readonly lane: string; readonly touched: boolean }[];
  readonly bins: readonly {
    readonly from: number;
    readonly to: number;
    readonly lane: string;
    readonly weight: number;
  }[];
  readonly count: number;
}

/** One trial against time: phases above, fault windows shaded, a lane a kind of event. Unwarped seconds from the first fault. */
export function timelinePlot({ title, trial, events, event }: TrialTimeline): Markup | undefined {
  const originNs = Math.min(
    ...trial.faults.flatMap((fault) => fault.appliedNs ?? []),
    Number.POSITIVE_INFINITY,
  );
  const zeroNs = Number.isFinite(originNs) ? originNs : trial.startNs;
  const seconds = (ns: number): number => ((ns - zeroNs) / 1e9) * trial.warp;
  const span = { from: seconds(trial.startNs), to: seconds(trial.endNs) };
  const faults = windowsOf(trial, seconds, span.to);
  const lanes = lanesOf(trial, events, event, seconds, span);
  if (lanes.length === 0) return undefined;
  const touched = new Set(trial.faults.flatMap((fault) => fault.targets));
  const label = `${title}: ${lanes.map((lane) => `${lane.name} ${lane.count}`).join(', ')}`;
  const plots = SIZES.map((size) =>
    svgOf(draw(trial, faults, lanes, span, seconds, size), size, plainText(label, 500)),
  );
  const where = `Trial ${trial.trial} at ${trial.pointId}`;
  const note = `${where}; seconds from the first fault${trial.warp === 1 ? '' : `, unwarped (warp ${trial.warp})`}. Shaded: a fault in force. ${touched.size > 0 ? 'Strong marks are of nodes that the fault touched, pale ones of the others. ' : ''}Busy lanes are drawn as densities.`;
  return html`<figure><figcaption><b>${title}</b><span>${note}</span></figcaption>${join(plots)}</figure>`;
}

function windowsOf(trial: TrialRecord, seconds: (ns: number) => number, end: number): Window[] {
  return trial.faults.flatMap((fault) =>
    fault.appliedNs === undefined
      ? []
      : [
          {
            from: seconds(fault.appliedNs),
            to: fault.liftedNs === undefined ? end : seconds(fault.liftedNs),
            name: plainText(
              `${fault.kind} on ${fault.targets.length} node${fault.targets.length === 1 ? '' : 's'}`,
              40,
            ),
          },
        ],
  );
}

function lanesOf(
  trial: TrialRecord,
  events: readonly RecordedEvent[],
  first: string,
  seconds: (ns: number) => number,
  span: { readonly from: number; readonly to: number },
): Lane[] {
  const touched = new Set(trial.faults.flatMap((fault) => fault.targets));
  const byName = new Map<string, { at: number; touched: boolean }[]>();
  for (const { event, node, atNs } of events) {
    const at = seconds(atNs);
    if (at < span.from || at > span.to || (node === 'harness' && DRAWN_OTHERWISE.test(event))) continue;
    const name = plainText(event, 28);
    const list = byName.get(name) ?? [];
    list.push({ at, touched: touched.has(node) });
    byName.set(name, list);
  }
  const rank = (name: string): number => (name === first ? 0 : 1);
  return [...byName]
    .sort(([a, x], [b, y]) => rank(a) - rank(b) || y.length - x.length || (a < b ? -1 : 1))
    .slice(0, LANES_LIMIT)
    .map(([name, list]) => ({
      name,
      count: list.length,
      ticks: list.length > TICKS_LIMIT ? [] : list.map((one) => ({ ...one, lane: name })),
      bins: list.length > TICKS_LIMIT ? density(name, list, span) : [],
    }));
}

function density(
  lane: string,
  list: readonly { readonly at: number }[],
  { from, to }: { readonly from: number; readonly to: number },
): Lane['bins'] {
  const width = (to - from) / BINS;
  const counts = new Array<number>(BINS).fill(0);
  for (const { at } of list) {
    const bin = Math.min(BINS - 1, Math.floor((at - from) / width));
    counts[bin] = (counts[bin] as number) + 1;
  }
  const most = Math.max(...counts);
  return counts.flatMap((count, bin) =>
    // The root keeps single events visible beside a burst of thousands.
    count === 0
      ? []
      : [{ from: from + bin * width, to: from + (bin + 1) * width, lane, weight: Math.sqrt(count / most) }],
  );
}

function draw(
  trial: TrialRecord,
  faults: readonly Window[],
  lanes: readonly Lane[],
  span: { readonly from: number; readonly to: number },
  seconds: (ns: number) => number,
  size: PlotSize,
): ReturnType<typeof drawPlot> {
  const longest = Math.max(...lanes.map((lane) => lane.name.length));
  const labelled = (lane: Lane): string => `${lane.name}  ${formatNumber(lane.count)}`;
  const text = new Map(lanes.map((lane) => [lane.name, labelled(lane)]));
  const phases = trial.phases.map((phase) => ({
    from: seconds(phase.startNs),
    to: seconds(phase.endNs),
    name: plainText(phase.name, 20),
  }));
  const room = (size.width - 200) / Math.max(1e-9, span.to - span.from);
  const laneHeightPx = size.stacked ? 34 : 26;
  return drawPlot({
    width: size.width,
    height: 58 + 44 + laneHeightPx * lanes.length,
    marginTop: 58,
    marginLeft: size.stacked ? 8 : Math.min(260, 24 + 7.4 * (longest + 6)),
    marginRight: 16,
    marginBottom: 44,
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
      ...(size.stacked ? { ticks: [] } : { tickFormat: (name: string) => text.get(name) ?? name }),
      padding: size.stacked ? 0.5 : 0.24,
    },
    marks: [
      Plot.rectX(faults, { x1: 'from', x2: 'to', fill: 'var(--series-1)', fillOpacity: 0.13 }),
      Plot.ruleX(
        faults.flatMap((one) => [one.from, one.to]),
        { stroke: 'var(--series-1)', strokeOpacity: 0.7 },
      ),
      Plot.text(faults, {
        x: 'from',
        text: 'name',
        frameAnchor: 'top',
        dy: -14,
        dx: 3,
        textAnchor: 'start',
        fill: 'var(--series-1)',
        fontWeight: 650,
      }),
      Plot.ruleX(
        phases.slice(1).map((phase) => phase.from),
        { stroke: 'currentColor', strokeOpacity: 0.25, strokeDasharray: '2,3' },
      ),
      Plot.text(
        phases.filter((phase) => (phase.to - phase.from) * room > 7 * phase.name.length),
        {
          x: (phase: Window) => (phase.from + phase.to) / 2,
          text: 'name',
          frameAnchor: 'top',
          dy: -38,
          fillOpacity: 0.65,
        },
      ),
      Plot.ruleY(lanes, { y: 'name', stroke: 'currentColor', strokeOpacity: 0.12 }),
      Plot.rect(
        lanes.flatMap((lane) => lane.bins),
        {
          x1: 'from',
          x2: 'to',
          y: 'lane',
          fill: 'var(--series-0)',
          fillOpacity: (bin: { weight: number }) => 0.12 + 0.88 * bin.weight,
          inset: 0,
        },
      ),
      ...[false, true].map((touched) =>
        Plot.tickX(
          lanes.flatMap((lane) => lane.ticks).filter((tick) => tick.touched === touched),
          {
            x: 'at',
            y: 'lane',
            stroke: touched ? 'var(--series-1)' : 'var(--series-0)',
            strokeWidth: 1.4,
            strokeOpacity: touched ? 0.95 : 0.6,
          },
        ),
      ),
      ...(size.stacked
        ? [
            Plot.text(lanes, {
              y: 'name',
              text: labelled,
              frameAnchor: 'left',
              dy: -laneHeightPx / 2 + 2,
              dx: 2,
              textAnchor: 'start',
              fontSize: 11.5,
              stroke: 'var(--paper)',
              strokeWidth: 3,
              fill: 'currentColor',
            }),
          ]
        : []),
    ],
  });
}
