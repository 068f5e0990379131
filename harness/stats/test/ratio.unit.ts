import { expect } from 'chai';
import fc from 'fast-check';
import { differenceOfMeans, ratioOfMeans } from '../index.ts';

const positive = fc.array(fc.double({ min: 8, max: 12, noNaN: true }), { minLength: 4, maxLength: 20 });

describe('a ratio of means', () => {
  it('lies in its interval, and its interval says what the difference from a scaled baseline says', () => {
    fc.assert(
      fc.property(positive, positive, (baseline, candidate) => {
        const { ratio, interval } = ratioOfMeans([{ baseline, candidate }]);
        if (!interval) return;
        expect(interval.low).to.be.at.most(ratio * (1 + 1e-9));
        expect(interval.high).to.be.at.least(ratio * (1 - 1e-9));
        for (const factor of [0.8, 0.95, 1, 1.1, 1.3]) {
          const scaled = baseline.map((value) => value * factor);
          const high = differenceOfMeans([{ baseline: scaled, candidate }]).interval?.high ?? Number.NaN;
          if (Math.abs(interval.high - factor) > 1e-6) expect(high < 0).to.equal(interval.high < factor);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is that of Welch’s t where the baseline does not vary', () => {
    const baseline = Array.from({ length: 8 }, () => 10);
    const candidate = [11, 12, 13, 12, 11, 13];
    const { interval } = ratioOfMeans([{ baseline, candidate }]);
    const plain = differenceOfMeans([{ baseline, candidate }]).interval;
    expect(interval?.low).to.be.closeTo(1 + (plain?.low ?? 0) / 10, 1e-9);
    expect(interval?.high).to.be.closeTo(1 + (plain?.high ?? 0) / 10, 1e-9);
  });

  it('has no interval where the baseline may be nothing, or too little is known', () => {
    expect(ratioOfMeans([{ baseline: [-1, 0, 1.2], candidate: [1, 2, 3] }]).interval).to.equal(undefined);
    expect(ratioOfMeans([{ baseline: [1], candidate: [1, 2] }]).interval).to.equal(undefined);
    expect(ratioOfMeans([{ baseline: [0, 0], candidate: [1, 2] }]).ratio).to.be.NaN;
    expect(ratioOfMeans([]).interval).to.equal(undefined);
  });
});
