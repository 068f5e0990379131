import { expect } from 'chai';
import type { PlannedScenario, PlotSpec, PointResult } from '../../record/index.ts';
import { linePlot } from '../html/plots/line-plot.ts';

const SCENARIO = {
  suite: 's',
  scenario: 'herd',
  measures: [{ name: 'bytes', title: 'Bytes', unit: 'bytes' }],
  parameters: [{ name: 'fleet', type: 'integer' }],
} as unknown as PlannedScenario;
const PLOT: PlotSpec = {
  title: 'bytes',
  kind: 'line',
  x: 'fleet',
  y: 'bytes',
  xScale: 'log',
  yScale: 'symlog',
  reference: [
    {
      label: 'clients × 2',
      places: [
        { x: 50, y: 100 },
        { x: 1_000_000, y: 2_000_000 },
      ],
    },
  ],
};
const point = (fleet: number): PointResult =>
  ({
    suite: 's',
    scenario: 'herd',
    point: { fleet },
    published: [],
    measures: { bytes: { mean: fleet * 2, min: fleet * 2, values: [fleet * 2] } },
  }) as unknown as PointResult;

describe('a line plot', () => {
  const text = (spec: PlotSpec): string => linePlot(spec, SCENARIO, [point(50), point(500)])?.text ?? '';

  it('draws what is reckoned beside what was measured, on axes that reach as far', () => {
    const drawn = text(PLOT);
    expect(drawn).to.include('clients × 2').and.include('stroke-dasharray').and.include('not measured');
    expect(drawn).to.include('>1M<').and.include('>10K<');
  });

  it('ends where the measured points end without', () => {
    const { reference: _reference, ...measured } = PLOT;
    expect(text(measured)).to.not.include('stroke-dasharray').and.not.include('>1M<');
  });
});
