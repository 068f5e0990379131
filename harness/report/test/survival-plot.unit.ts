import { expect } from 'chai';
import type { PlannedScenario, PlotSpec, PointResult } from '../../record/index.ts';
import { survivalPlot } from '../html/plots/survival-plot.ts';
import { px, readPlot } from './drawn-plot.ts';

const SCENARIO = {
  suite: 's',
  scenario: 'crash',
  measures: [{ name: 'detection', title: 'Detection', unit: 's' }],
  parameters: [{ name: 'variant', type: 'choice' }],
} as unknown as PlannedScenario;
const PLOT: PlotSpec = { title: 'not yet detected', kind: 'survival', y: 'detection', series: 'variant' };

/** Observed seconds; null was not seen while it was watched. */
const point = (variant: string, values: readonly (number | null)[]): PointResult =>
  ({
    suite: 's',
    scenario: 'crash',
    point: { variant },
    published: [],
    measures: { detection: { values } },
  }) as unknown as PointResult;

const WATCHED_S = 60;
const drawn = (...points: PointResult[]) => readPlot(survivalPlot(PLOT, SCENARIO, points, () => WATCHED_S));
const curve = (plot: ReturnType<typeof drawn>, series: number): [number, number][] => {
  const [line] = plot.all(`[aria-label="line"] path[stroke="var(--series-${series})"]`);
  const places = (line?.getAttribute('d') ?? '').matchAll(/[ML](-?[\d.]+),(-?[\d.]+)/g);
  return [...places].map(([, x, y]) => [Number(x), Number(y)]);
};

describe('a survival plot', () => {
  const plot = drawn(point('shipped', [10, 11, 12, 13]), point('both', [14, null, null, null]));

  it('marks the median of each curve that falls to a half, and writes it beside its name', () => {
    const dots = plot.all('[aria-label="dot"] circle');
    expect(dots).to.have.length(1);
    expect(px(dots[0], 'cx')).to.be.closeTo(plot.x(11), 0.01);
    expect(px(dots[0], 'cy')).to.be.closeTo(plot.y(50), 0.01);
    expect(dots[0]?.getAttribute('fill')).to.equal('var(--series-0)');
    const names = plot.all('[aria-label="text"] text').map((one) => one.textContent);
    expect(names).to.deep.equal(['shipped 11', 'both not half']);
    expect(plot.label).to.equal('not yet detected: shipped median 11, both median not reached');
  });

  it('falls where something was seen, by its share', () => {
    const places = curve(plot, 0);
    for (const [seconds, left] of [
      [10, 75],
      [11, 50],
      [12, 25],
      [13, 0],
    ] as const) {
      const at = places.filter(([x]) => Math.abs(x - plot.x(seconds)) < 0.01);
      expect(at.at(-1)?.[1], `${seconds} s`).to.be.closeTo(plot.y(left), 0.01);
    }
  });

  it('stays level for what was not seen, to the end of the watch, and counts it', () => {
    const [x, y] = curve(plot, 1).at(-1) ?? [Number.NaN, Number.NaN];
    expect(y).to.be.closeTo(plot.y(75), 0.01);
    expect(x).to.be.closeTo(plot.x(WATCHED_S), 0.1);
    expect(plot.caption).to.include('8 observations, 3 of them not seen while watched');
  });

  it('does not take what was not seen for something that never was', () => {
    const [dot] = drawn(point('shipped', [10, 11, null, null])).all('[aria-label="dot"] circle');
    expect(dot).to.not.equal(undefined);
    expect(drawn(point('shipped', [10, null, null, null])).all('[aria-label="dot"] circle')).to.be.empty;
  });
});
