import { expect } from 'chai';
import type { Point } from '../../record/index.ts';
import { fakePlan, scenario } from './fake-scenario.ts';

const seedsOf = (selected: ReturnType<typeof scenario>, seed = '7') =>
  fakePlan([{ scenario: selected, trials: 10 }], { seed }).trials.map((trial) => ({
    variant: trial.point.point['variant'],
    cutoff: trial.point.point['cutoff'],
    slot: trial.slot,
    seed: trial.seed,
  }));

/** Holds for about half of all seeds. */
const halves = (seed: string): boolean =>
  [...seed].reduce((sum, char) => sum + char.charCodeAt(0), 0) % 2 === 0;

describe('a condition on seeds', () => {
  const conditioned = scenario({ seedWhere: { says: 'the sum is even', holds: halves } });

  it('holds for every trial, without changing the seeds that fulfil it already', () => {
    const seeds = seedsOf(conditioned).map(({ seed }) => seed);
    expect(seeds.every(halves)).to.equal(true);
    const free = seedsOf(scenario()).map(({ seed }) => seed);
    const kept = free.filter(halves);
    expect(kept).to.not.be.empty;
    expect(kept.length).to.be.below(free.length);
    expect(seeds).to.include.members(kept);
  });

  it('gives different trials different seeds, and both sides of a trial the same one', () => {
    const drawn = seedsOf(conditioned);
    const bySlot = new Map<string, Set<string>>();
    for (const { cutoff, slot, seed } of drawn) {
      const key = `${cutoff} ${slot}`;
      bySlot.set(key, (bySlot.get(key) ?? new Set()).add(seed));
    }
    expect([...bySlot.values()].map((seeds) => seeds.size)).to.deep.equal(Array(20).fill(1));
    expect(new Set(drawn.map(({ seed }) => seed)).size).to.equal(20);
  });

  it('draws the same again in a repetition, and others from another seed of the run', () => {
    expect(seedsOf(conditioned)).to.deep.equal(seedsOf(conditioned));
    const others = new Set(seedsOf(conditioned, '8').map(({ seed }) => seed));
    expect(seedsOf(conditioned).some(({ seed }) => others.has(seed))).to.equal(false);
  });

  it('is told the point, but not its sides', () => {
    const told: Point[] = [];
    seedsOf(
      scenario({
        seedWhere: {
          says: 'anything goes',
          holds: (_seed, point) => {
            told.push(point);
            return true;
          },
        },
      }),
    );
    expect(told[0]).to.deep.equal({ cutoff: 1, outage: 40_000 });
    expect(told.some((point) => 'variant' in point)).to.equal(false);
  });

  it('that no seed fulfils is refused while planning, in its own words', () => {
    const never = scenario({ seedWhere: { says: 'pigs fly', holds: () => false } });
    expect(() => seedsOf(never))
      .to.throw(/none is one where pigs fly/)
      .with.property('code', 'no-fitting-seed');
  });
});
