import { expect } from 'chai';
import fc from 'fast-check';
import {
  clopperPearson,
  differenceOfMeans,
  estimate,
  holm,
  kaplanMeier,
  quantile,
  rankTest,
  stratifiedRankTest,
} from '../index.ts';

const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 30 });

describe('stats properties', () => {
  it('contain the observed rate in its exact interval', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (trials, share) => {
          const successes = Math.round(trials * share);
          const { low, high } = clopperPearson(successes, trials);
          expect(low).to.be.at.most(successes / trials);
          expect(high).to.be.at.least(successes / trials);
        },
      ),
    );
  });

  it('cover a true rate at least as often as promised, counted exactly', () => {
    for (const rate of [0.02, 0.3, 0.77]) {
      const trials = 24;
      let covered = 0;
      let chance = (1 - rate) ** trials;
      for (let events = 0; events <= trials; events += 1) {
        const { low, high } = clopperPearson(events, trials);
        if (low <= rate && rate <= high) covered += chance;
        chance *= ((trials - events) / (events + 1)) * (rate / (1 - rate));
      }
      expect(covered, `rate ${rate}`).to.be.at.least(0.95);
    }
  });

  it('keep quantiles between the smallest and the largest, and monotone', () => {
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (sample, share) => {
        const value = quantile(sample, share);
        expect(value).to.be.within(Math.min(...sample), Math.max(...sample));
        expect(quantile(sample, Math.min(1, share + 0.1))).to.be.at.least(value);
      }),
    );
  });

  it('give the same interval for the same seed, in any order of the sample', () => {
    fc.assert(
      fc.property(values, (sample) => {
        const forward = estimate(sample, 'mean', { seed: 'seed' });
        const backward = estimate([...sample].reverse(), 'mean', { seed: 'seed' });
        expect(forward).to.deep.equal(backward);
      }),
      { numRuns: 20 },
    );
  });

  it('give symmetric rank tests', () => {
    fc.assert(
      fc.property(values, values, (first, second) => {
        const forward = rankTest(first, second);
        const backward = rankTest(second, first);
        expect(forward.pValue).to.be.closeTo(backward.pValue, 1e-9);
        expect(forward.u + backward.u).to.be.closeTo(first.length * second.length, 1e-6);
        expect(forward.pValue).to.be.within(0, 1);
      }),
    );
  });

  it('find no difference between a sample and itself, and turn round with the sides', () => {
    fc.assert(
      fc.property(values, values, (baseline, candidate) => {
        expect(differenceOfMeans([{ baseline, candidate: baseline }]).effect).to.be.closeTo(0, 1e-6);
        const forward = differenceOfMeans([{ baseline, candidate }]);
        const backward = differenceOfMeans([{ baseline: candidate, candidate: baseline }]);
        expect(forward.effect).to.be.closeTo(-backward.effect, 1e-6);
        expect(forward.interval?.low ?? 0).to.be.closeTo(-(backward.interval?.high ?? 0), 1e-3);
      }),
    );
  });

  it('give the plain rank test for one stratum, and the same p for either order of strata', () => {
    fc.assert(
      fc.property(values, values, values, values, (a, b, c, d) => {
        const [first, second] = [
          { baseline: a, candidate: b },
          { baseline: c, candidate: d },
        ];
        expect(stratifiedRankTest([first])).to.equal(rankTest(a, b).pValue);
        expect(stratifiedRankTest([first, second])).to.be.closeTo(stratifiedRankTest([second, first]), 1e-9);
      }),
    );
  });

  it('never lower a p-value by adjusting it', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }), (pValues) => {
        holm(pValues).forEach((value, index) => {
          expect(value).to.be.at.least(pValues[index] as number);
        });
      }),
    );
  });

  it('keep a survival curve falling and inside its band', () => {
    const observation = fc.record({ time: fc.integer({ min: 0, max: 50 }), happened: fc.boolean() });
    fc.assert(
      fc.property(fc.array(observation, { maxLength: 40 }), (observations) => {
        let before = 1;
        for (const step of kaplanMeier(observations)) {
          expect(step.surviving).to.be.at.most(before + 1e-12);
          expect(step.low).to.be.at.most(step.surviving + 1e-12);
          expect(step.high).to.be.at.least(step.surviving - 1e-12);
          before = step.surviving;
        }
      }),
    );
  });
});
