import * as Plot from '@observablehq/plot';
import { countOf } from '../../../check/index.ts';
import type { PlannedScenario, PlotSpec } from '../../../record/index.ts';
import { parameterText } from '../../cases.ts';
import { plainText } from '../../plain-text.ts';
import type { TrialGraph } from '../../trial-graph.ts';
import { seriesColor } from '../palette.ts';
import { html, type Markup } from '../template.ts';
import { drawPlot, svgOf } from './plot-svg.ts';

const SIZE = { name: 'graph', width: 360, stacked: true } as const;
/** More of them on one circle cannot be told apart. */
const NAMES_LIMIT = 40;
const GRAPHS_LIMIT = 12;
const NAME_LENGTH = 14;

interface Place {
  readonly name: string;
  readonly group: string;
  readonly x: number;
  readonly y: number;
}

interface Arrow {
  readonly from: Place;
  readonly to: Place;
  readonly count: number;
}

/** Who named whom: names on a circle, those of a group side by side and in one colour, an arrow for each pair. */
export function graphPlot(
  spec: PlotSpec,
  scenario: PlannedScenario,
  graphs: readonly TrialGraph[],
): Markup | undefined {
  const own = graphs.filter(
    (one) => one.suite === scenario.suite && one.scenario === scenario.scenario && one.title === spec.title,
  );
  if (own.length === 0) return undefined;
  const drawn = own.slice(0, GRAPHS_LIMIT).map((graph) => {
    const facet = spec.facet === undefined ? '' : parameterText(graph.point, spec.facet, scenario);
    const words = `${countOf(graph.events, 'event')} about ${plainText(graph.subject, 24)}, trial ${graph.trial}`;
    const label = `${spec.title}, ${facet}: ${graph.edges.map(({ from, to, count }) => `${from} to ${to} ${count}`).join(', ')}`;
    return html`<div><b>${plainText(facet, 60)}</b> <span class="muted">${words}</span>${svgOf(draw(graph), SIZE, plainText(label, 400))}</div>`;
  });
  const left = own.length > GRAPHS_LIMIT ? ` ${own.length - GRAPHS_LIMIT} more are not shown.` : '';
  return html`<figure><figcaption><b>${spec.title}</b><span>An arrow goes from who answered to whom it named, the thicker the more often; a ring is one that named itself. Colours are groups.${left}</span></figcaption><div class="graphs">${drawn}</div></figure>`;
}

function draw(graph: TrialGraph): ReturnType<typeof drawPlot> {
  const places = placesOf(graph);
  const byName = new Map(places.map((place) => [place.name, place]));
  const arrows = graph.edges.flatMap(({ from, to, count }): Arrow[] => {
    const [start, end] = [byName.get(from), byName.get(to)];
    return start && end ? [{ from: start, to: end, count }] : [];
  });
  const groups = [...new Set(places.map(({ group }) => group))];
  const color = ({ group }: Place): string => seriesColor(groups.indexOf(group));
  const most = Math.max(1, ...arrows.map(({ count }) => count));
  const met = new Set(arrows.flatMap(({ from, to }) => [from, to]));
  return drawPlot({
    width: SIZE.width,
    height: SIZE.width,
    margin: 8,
    axis: null,
    x: { domain: [-1.45, 1.45] },
    y: { domain: [-1.45, 1.45] },
    marks: [
      Plot.arrow(
        arrows.filter(({ from, to }) => from !== to),
        {
          x1: ({ from }: Arrow) => from.x,
          y1: ({ from }: Arrow) => from.y,
          x2: ({ to }: Arrow) => to.x,
          y2: ({ to }: Arrow) => to.y,
          bend: 22,
          headLength: 7,
          inset: 7,
          stroke: ({ from }: Arrow) => color(from),
          strokeOpacity: 0.7,
          strokeWidth: ({ count }: Arrow) => 1 + (3 * count) / most,
        },
      ),
      Plot.dot(
        arrows.filter(({ from, to }) => from === to),
        {
          x: ({ from }: Arrow) => from.x,
          y: ({ from }: Arrow) => from.y,
          r: 9,
          stroke: ({ from }: Arrow) => color(from),
          strokeWidth: ({ count }: Arrow) => 1 + (3 * count) / most,
        },
      ),
      Plot.dot(places, {
        x: 'x',
        y: 'y',
        r: 4.5,
        fill: color,
        fillOpacity: (place: Place) => (met.has(place) ? 1 : 0.3),
      }),
      ...places.map((place) =>
        Plot.text([place], {
          x: () => place.x * 1.12,
          y: () => place.y * 1.12,
          text: () => plainText(place.name, NAME_LENGTH),
          textAnchor: Math.abs(place.x) < 0.2 ? 'middle' : place.x > 0 ? 'start' : 'end',
          fontSize: 10,
          fillOpacity: met.has(place) ? 1 : 0.5,
        }),
      ),
    ],
  });
}

/** All that a group has, and whatever else was named; around the circle by group and name. */
function placesOf({ edges, groups }: TrialGraph): Place[] {
  const met = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const names = [...new Set([...met, ...groups.keys()])].slice(0, NAMES_LIMIT);
  const ordered = names
    .map((name) => ({ name, group: groups.get(name) ?? '' }))
    .sort((a, b) => a.group.localeCompare(b.group) || a.name.localeCompare(b.name, 'en', { numeric: true }));
  return ordered.map(({ name, group }, index) => {
    const turn = (2 * Math.PI * index) / ordered.length;
    return { name, group, x: Math.sin(turn), y: Math.cos(turn) };
  });
}
