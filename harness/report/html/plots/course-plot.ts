import * as Plot from '@observablehq/plot';
import type { PlannedScenario, PlotSpec } from '../../../record/index.ts';
import { seriesText } from '../../cases.ts';
import { plainText } from '../../plain-text.ts';
import type { TrialCourse } from '../../trial-course.ts';
import { seriesColor } from '../palette.ts';
import { html, join, type Markup } from '../template.ts';
import { drawPlot, type PlotSize, SIZES, svgOf } from './plot-svg.ts';

/** More lines than this are one colour's blur, and megabytes of it. */
const LINES_LIMIT = 240;
const MINUTES_FROM_S = 900;

interface Place {
  readonly seconds: number;
  readonly value: number;
  readonly series: string;
  readonly line: string;
}

/** All trials' lines over time on one plot, a colour a side: where they part is to be seen, not which line is whose. */
export function coursePlot(
  spec: PlotSpec,
  scenario: PlannedScenario,
  courses: readonly TrialCourse[],
): Markup | undefined {
  const own = courses.filter(
    (one) => one.suite === scenario.suite && one.scenario === scenario.scenario && one.title === spec.title,
  );
  if (own.length === 0) return undefined;
  // Evenly over all trials, so that no side is left out.
  const step = Math.max(1, own.length / LINES_LIMIT);
  const shown = own.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
  const places = shown.flatMap((course): Place[] => {
    const series = plainText(seriesText(course.point, spec.series, scenario), 40);
    const line = `${series} ${course.trial} ${course.node}`;
    return course.places.map(({ seconds, value }) => ({ seconds, value, series, line }));
  });
  const series = [...new Set(places.map((place) => place.series))].sort();
  const label = `${spec.title}: ${shown.length} lines of ${series.join(', ')}`;
  const plots = SIZES.map((size) => svgOf(draw(spec, places, series, size), size, plainText(label, 400)));
  const each = spec.course?.per === 'node' ? 'a node of a trial' : 'a trial';
  const left = shown.length < own.length ? `; ${shown.length} of ${own.length} are shown` : '';
  const legend = series.map(
    (name, index) => html` <span style="color: ${seriesColor(index)}">■</span> ${name || 'all'}`,
  );
  return html`<figure><figcaption><b>${spec.title}</b><span>A line ${each}${left}.${legend}</span></figcaption>${join(plots)}</figure>`;
}

function draw(
  { course }: PlotSpec,
  places: readonly Place[],
  series: readonly string[],
  size: PlotSize,
): ReturnType<typeof drawPlot> {
  const unit = course?.unit ? ` (${course.unit})` : '';
  // Hours that clocks leapt over are not read in seconds.
  const inMinutes = Math.max(0, ...places.map(({ seconds }) => seconds)) > MINUTES_FROM_S;
  return drawPlot({
    width: size.width,
    height: size.stacked ? 240 : 320,
    marginLeft: 64,
    marginRight: 24,
    marginTop: 24,
    marginBottom: 44,
    x: { label: inMinutes ? 'minutes →' : 'seconds →', labelAnchor: 'center', labelOffset: 38 },
    y: { label: `↑ ${course?.as === 'sum' ? 'so far' : 'at the time'}${unit}`, grid: true, tickFormat: 's' },
    marks: [
      Plot.ruleY([0], { stroke: 'currentColor', strokeOpacity: 0.45 }),
      Plot.line(places, {
        x: ({ seconds }: Place) => (inMinutes ? seconds / 60 : seconds),
        y: 'value',
        z: 'line',
        curve: course?.as === 'sum' ? 'step-after' : 'linear',
        stroke: (place: Place) => seriesColor(series.indexOf(place.series)),
        strokeOpacity: 0.55,
        strokeWidth: 1.2,
      }),
    ],
  });
}
