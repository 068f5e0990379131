import { expect } from 'chai';
import { stream } from '../../random/index.ts';
import {
  bootstrap,
  clopperPearson,
  differenceOfMeans,
  estimate,
  excludedRate,
  holm,
  kaplanMeier,
  levelPerLook,
  median,
  medianShift,
  powerToShow,
  quantile,
  quantileInterval,
  rankTest,
  survivalQuantile,
  trialsToShow,
} from '../index.ts';

describe('stats against published values', () => {
  for (const [successes, trials, low, high] of [
    [0, 10, 0, 0.3084971],
    [3, 10, 0.06673951, 0.6524529],
    [8, 10, 0.4439045, 0.9747893],
    [10, 10, 0.6915029, 1],
    [1, 100, 0.0002531461, 0.05445939],
  ] as const) {
    it(`gives R's binom.test interval for ${successes} of ${trials}`, () => {
      const interval = clopperPearson(successes, trials);
      expect(interval.low).to.be.closeTo(low, 5e-7);
      expect(interval.high).to.be.closeTo(high, 5e-7);
    });
  }

  it('excludes a rate of 63 % after 0 of 3 and of 5 % after 0 of 59', () => {
    expect(excludedRate(0, 3)).to.be.closeTo(0.6316, 1e-4);
    expect(excludedRate(0, 59)).to.be.closeTo(0.0495, 1e-4);
    expect(excludedRate(1, 10)).to.be.closeTo(0.3942, 1e-4);
  });

  it('knows the power of n trials, and the trials for a power', () => {
    expect(powerToShow(0.5, 5)).to.be.closeTo(0.96875, 1e-9);
    expect(trialsToShow(0.5)).to.equal(5);
    expect(trialsToShow(0.05)).to.equal(59);
    expect(trialsToShow(0)).to.equal(Number.POSITIVE_INFINITY);
  });

  it("gives R's type 7 quantiles", () => {
    const values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 20];
    expect(quantile(values, 0.25)).to.equal(3.25);
    expect(quantile(values, 0.9)).to.be.closeTo(10.1, 1e-12);
    expect(median(values)).to.equal(5.5);
  });

  it('gives the t interval of a small mean', () => {
    const { interval } = estimate([1, 2, 3], 'mean', { seed: 's' });
    expect(interval?.method).to.equal('Student t');
    expect(interval?.low).to.be.closeTo(2 - 2.484138, 1e-6);
    expect(interval?.high).to.be.closeTo(2 + 2.484138, 1e-6);
  });

  // Ranks of the 95 % interval of a median: 1–6 of 6, 2–9 of 10, 6–15 of 20, 18–33 of 50 (e.g. Conover 1999, table A3).
  for (const [count, low, high] of [
    [6, 1, 6],
    [10, 2, 9],
    [20, 6, 15],
    [50, 18, 33],
  ] as const) {
    it(`takes ranks ${low} and ${high} of ${count} around a median`, () => {
      const ranks = Array.from({ length: count }, (_, index) => index + 1);
      expect(quantileInterval(ranks, 0.5)).to.include({ low, high });
    });
  }

  it('gives no interval of a median at 95 % from 5 values', () => {
    expect(quantileInterval([1, 2, 3, 4, 5], 0.5)).to.equal(undefined);
  });

  it("gives R's wilcox.test on the permeability data", () => {
    const early = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
    const term = [1.15, 0.88, 0.9, 0.74, 1.21];
    const test = rankTest(term, early);
    expect(test).to.include({ u: 35, method: 'exact' });
    expect(test.pValue).to.be.closeTo(0.2544, 1e-4);
    expect(medianShift(term, early)).to.be.closeTo(0.305, 1e-9);
  });

  it('corrects a rank test for ties', () => {
    // By hand: U = 2 + 3.5 + 3.5 + 4, spread √(16/12 · (9 − 48/56)) = 3.295, z = 4.5 / 3.295.
    const test = rankTest([1, 2, 2, 3], [2, 3, 3, 4]);
    expect(test.u).to.equal(13);
    expect(test.pValue).to.be.closeTo(0.172, 5e-4);
  });

  it("gives R's t.test (Welch) on the sleep data", () => {
    const baseline = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2];
    const candidate = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
    const { effect, interval } = differenceOfMeans([{ baseline, candidate }]);
    expect(effect).to.be.closeTo(1.58, 1e-9);
    expect(interval?.low).to.be.closeTo(-0.2054832, 1e-5);
    expect(interval?.high).to.be.closeTo(3.3654832, 1e-5);
  });

  it("gives R's p.adjust by Holm", () => {
    const adjusted = holm([0.01, 0.04, 0.03, 0.005]);
    [0.03, 0.06, 0.06, 0.02].forEach((value, index) => {
      expect(adjusted[index]).to.be.closeTo(value, 1e-12);
    });
  });

  it('gives the Kaplan–Meier curve of the 6-MP remissions (Freireich 1963)', () => {
    const happened = [6, 6, 6, 7, 10, 13, 16, 22, 23];
    const censored = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35];
    const steps = kaplanMeier([
      ...happened.map((time) => ({ time, happened: true })),
      ...censored.map((time) => ({ time, happened: false })),
    ]);
    const at = (time: number) => steps.find((step) => step.time === time);
    for (const [time, surviving] of [
      [6, 0.857],
      [7, 0.807],
      [10, 0.753],
      [13, 0.69],
      [16, 0.627],
      [22, 0.538],
      [23, 0.448],
    ] as const) {
      expect(at(time)?.surviving).to.be.closeTo(surviving, 5e-4);
    }
    expect(at(6)?.low).to.be.closeTo(0.62, 1e-3);
    expect(at(6)?.high).to.be.closeTo(0.9516, 1e-3);
    expect(at(23)?.low).to.be.closeTo(0.188, 1e-3);
    expect(at(23)?.high).to.be.closeTo(0.6801, 1e-3);
    expect(survivalQuantile(steps, 0.5)).to.equal(23);
    expect(survivalQuantile(steps, 0.9)).to.equal(undefined);
  });

  it('gives the BCa interval of the spatial test data (Efron and Tibshirani 1993, chapter 14)', () => {
    const data = [
      48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41,
    ];
    const plugInVariance = (sample: readonly number[]): number => {
      const centre = sample.reduce((sum, value) => sum + value, 0) / sample.length;
      return sample.reduce((sum, value) => sum + (value - centre) ** 2, 0) / sample.length;
    };
    expect(plugInVariance(data)).to.be.closeTo(171.5, 0.05);
    const interval = bootstrap(data, plugInVariance, stream('golden', 'bootstrap'), 0.9);
    // Two runs of 2,000 resamples differ by a few units at these ends.
    expect(interval.low).to.be.closeTo(115.8, 6);
    expect(interval.high).to.be.closeTo(259.6, 9);
    expect(interval.method).to.equal('BCa bootstrap');
  });

  it('shares the error over the looks', () => {
    expect(levelPerLook(0.95, 1)).to.be.closeTo(0.95, 1e-12);
    expect(levelPerLook(0.95, 20)).to.be.closeTo(0.9975, 1e-12);
  });
});
