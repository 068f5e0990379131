import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { excludedRate } from '../../stats/index.ts';
import { GATE_RATE, gatePower, gateSentence } from '../index.ts';

describe('the power of a gate', () => {
  // Without a miss the bound is 0.05^(1/n): R's binom.test(n, n, alternative = "greater").
  for (const [shown, trials, atLeast, further] of [
    [1, 1, 0.05, 298],
    [55, 55, 0.947, 244],
    [298, 298, 0.99, 1],
    [299, 299, 0.99003, 0],
    [1_000, 1_000, 0.99701, 0],
  ] as const) {
    it(`is at least ${atLeast} after ${shown} of ${trials}`, () => {
      const power = gatePower({ shown, trials });
      expect(power.atLeastRate).to.be.closeTo(0.05 ** (1 / trials), 1e-9);
      expect(power.atLeastRate).to.be.closeTo(atLeast, 1e-4);
      expect(power.furtherTrials).to.equal(further);
    });
  }

  for (const [shown, trials] of [
    [0, 1],
    [54, 55],
    [400, 420],
  ] as const) {
    it(`counts the misses of ${shown} of ${trials} when it says how many further trials are enough`, () => {
      const { furtherTrials } = gatePower({ shown, trials });
      const boundAfter = (more: number) => 1 - excludedRate(trials - shown, trials + more);
      expect(boundAfter(furtherTrials)).to.be.at.least(GATE_RATE);
      expect(boundAfter(furtherTrials - 1)).to.be.below(GATE_RATE);
    });
  }

  it('is nothing where the defect never showed', () => {
    expect(gatePower({ shown: 0, trials: 20 }).atLeastRate).to.equal(0);
  });

  it('is said with its counts, and with what is missing where it is too little', () => {
    expect(gateSentence('the leak', { shown: 55, trials: 55 })).to.equal(
      'the leak shows at this point in at least 94.7 % of trials (55 of 55, one-sided 95 %). That is under the 99 % that a point which must fail needs: 244 further trials without a miss would reach it.',
    );
    expect(gateSentence('the leak', { shown: 299, trials: 299 })).to.equal(
      'the leak shows at this point in at least 99 % of trials (299 of 299, one-sided 95 %).',
    );
  });

  it('says which trials were counted, where that is known', () => {
    expect(gateSentence('the leak', { shown: 299, trials: 299, source: 'run 1 (seed 7)' })).to.equal(
      'the leak shows at this point in at least 99 % of trials (299 of 299, one-sided 95 %). Counted in run 1 (seed 7).',
    );
  });

  it('is not rounded up to what it does not reach', () => {
    const sentence = gateSentence('the leak', { shown: 298, trials: 298 });
    expect(sentence).to.include('at least 98.9 %').and.include('1 further trial without');
  });

  it('refuses counts that are no sample', () => {
    expect(() => gatePower({ shown: 3, trials: 2 })).to.throw(SquallError, /no sample/);
    expect(() => gatePower({ shown: 0, trials: 0 })).to.throw(SquallError, /no sample/);
  });
});
