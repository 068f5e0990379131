import { expect } from 'chai';
import type { ComparedTrial } from '../../../harness/check/index.ts';
import { compareSides } from '../../../harness/compare/index.ts';
import { agreement } from '../agreement.ts';

const TITLES = ['drops', 'trust events', 'stalls'];
const JUDGED = ['dropsPerPeer', 'trustPenalties', 'attemptsTimeout'];

/** Six waves of each kind, as many of all that is judged as `about` on the mean and up to 3 more or fewer. */
function outcomes(real: number, standIn: number): string[] {
  const comparisons = agreement.comparisons ?? [];
  const trials = comparisons.slice(0, 1).flatMap(({ parameter, baseline, candidate }) =>
    [
      { side: baseline, about: real, shift: 0 },
      { side: candidate, about: standIn, shift: 2 },
    ].flatMap(({ side, about, shift }) =>
      [-3, -1, 0, 0, 1, 3].map((_, slot, off): ComparedTrial => {
        const value = Math.max(0, about + (off[(slot + shift) % off.length] ?? 0));
        const measures = Object.fromEntries(
          [...JUDGED, 'dropsPool', 'drainMedianS'].map((one) => [one, value]),
        );
        return {
          point: { [parameter]: side },
          pointId: `${parameter}=${side}`,
          trial: slot + 1,
          seed: String(slot),
          outcome: 'completed',
          counted: true,
          measures: { ...measures, storedBytes: 0, keysLost: 0 },
        };
      }),
    ),
  );
  const scenario = { suite: 'ant', scenario: agreement.name, measures: agreement.measures };
  return comparisons.map((spec) => compareSides(spec, scenario, trials).outcome);
}

describe('agreement of the real node and its stand-in', () => {
  it('judges drops, trust events and stalls', () => {
    const comparisons = agreement.comparisons ?? [];
    expect(comparisons.map(({ primary }) => primary.measure)).to.deep.equal(JUDGED);
    expect(comparisons.map(({ title }) => title.split(': ').at(-1))).to.deep.equal(TITLES);
  });

  for (const [real, standIn, outcome] of [
    [33, 35, 'agrees'],
    [33, 0, 'differs'],
    [33, 66, 'differs'],
    [33, 50, 'differs'],
    [33, 18, 'differs'],
  ] as const) {
    it(`${outcome} where a wave has about ${real} of each, and the stand-in's ${standIn}`, () => {
      expect(outcomes(real, standIn)).to.deep.equal(TITLES.map(() => outcome));
    });
  }
});
