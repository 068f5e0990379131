import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { stream } from '../../random/index.ts';
import { type BisectOptions, bisectVersions, findMissingFix, mostTelling, posteriorOf } from '../index.ts';

const VERSIONS = Array.from({ length: 8 }, (_, index) => `v${index + 1}`);

/** Versions of which those from `firstBad` on show it in a share of trials, and the others in a smaller one. */
async function bisected(
  firstBad: number,
  rates: { readonly show: number; readonly alarm?: number },
  seed: string,
  changes: Partial<BisectOptions> = {},
) {
  const chance = stream(seed, 'trials');
  return await bisectVersions({
    versions: VERSIONS,
    tryVersion: async (version, trials) => {
      const rate = version >= firstBad ? rates.show : (rates.alarm ?? 0);
      const shown = Array.from({ length: trials }, () => chance.next() < rate).filter(Boolean).length;
      return { shown, counted: trials };
    },
    confidence: 0.99,
    mostTrials: 400,
    stepTrials: 2,
    onProgress: () => undefined,
    ...changes,
  });
}

describe('bisecting versions', () => {
  it('finds the first bad one of 8 in every place, 14 times of 14, when it always shows', async () => {
    for (const place of [1, 2, 3, 4, 5, 6, 7]) {
      for (let time = 0; time < 2; time += 1) {
        const { outcome, firstBad, lastGood, trials } = await bisected(
          place,
          { show: 1 },
          `${place}/${time}`,
        );
        expect([outcome, firstBad, lastGood]).to.deep.equal(['found', VERSIONS[place], VERSIONS[place - 1]]);
        expect(trials).to.be.below(24);
      }
    }
  });

  for (const rates of [{ show: 0.6 }, { show: 0.3 }, { show: 0.8, alarm: 0.05 }]) {
    it(`is wrong no more often than it says when a bad one shows in ${rates.show * 100} % and a good one in ${(rates.alarm ?? 0) * 100} % of trials`, async () => {
      let wrong = 0;
      for (let time = 0; time < 14; time += 1) {
        const place = 1 + (time % 7);
        const { firstBad, confidence } = await bisected(place, rates, `noisy/${time}`);
        expect(confidence).to.be.at.least(0.99);
        if (firstBad !== VERSIONS[place]) wrong += 1;
      }
      // 2 of 14 or more would be seen by chance once in 100 times at 1 %; the seeds are fixed.
      expect(wrong).to.be.below(2);
    });
  }

  it('says so when the good end shows it, and when the bad end does not', async () => {
    expect((await bisected(0, { show: 0.9 }, 'a')).outcome).to.equal('good-end-shows');
    expect((await bisected(8, { show: 0.9 }, 'b')).outcome).to.equal('bad-end-does-not-show');
  });

  it('is unclear when its trials run out, and names the likeliest', async () => {
    const { outcome, trials, firstBad } = await bisected(4, { show: 0.3 }, 'c', { mostTrials: 12 });
    expect(outcome).to.equal('unclear');
    expect(trials).to.be.at.most(12);
    expect(firstBad).to.be.a('string');
  });

  it('ends when no trial counts, and refuses a single version', async () => {
    const nothing = { tryVersion: async () => ({ shown: 0, counted: 0 }) };
    const error = await bisected(4, { show: 1 }, 'd', nothing).catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(SquallError).and.include({ code: 'no-trial-counts', blame: 'void' });
    const single = await bisected(0, { show: 1 }, 'e', { versions: ['v1'] }).catch(
      (caught: unknown) => caught,
    );
    expect(single).to.include({ code: 'too-few-versions', blame: 'input' });
  });

  it('asks in the middle when nothing is known but the ends, and puts its chances together to one', () => {
    const counts = VERSIONS.map(() => ({ shown: 0, counted: 0 }));
    counts[0] = { shown: 0, counted: 5 };
    counts[7] = { shown: 5, counted: 5 };
    expect(mostTelling(counts)).to.be.within(3, 4);
    const { firstBad, showRate } = posteriorOf(counts);
    expect(firstBad.reduce((sum, chance) => sum + chance, 0)).to.be.closeTo(1, 1e-9);
    expect(showRate).to.be.above(0.7);
  });
});

describe('naming the missing fix', () => {
  const FIXES = ['grace', 'health', 'order'];
  const found = async (cured: (some: readonly string[]) => boolean, rate = 1) => {
    const chance = stream('fix', String(cured));
    return await findMissingFix(
      FIXES,
      async (some, trials) => {
        const shown = Array.from({ length: trials }, () => !cured(some) && chance.next() < rate).filter(
          Boolean,
        ).length;
        return { shown, counted: trials };
      },
      { badTrials: 6, onProgress: () => undefined },
    );
  };

  it('is the one that cures it alone', async () => {
    const { outcome, missing, tried } = await found((some) => some.includes('health'), 0.8);
    expect(outcome).to.equal('found');
    expect(missing).to.deep.equal([['health']]);
    expect(tried.find(({ fixes }) => fixes.join() === 'grace')?.shown).to.be.above(0);
    expect(tried.find(({ fixes }) => fixes.join() === 'health')?.excludes).to.be.below(0.6);
  });

  it('is each of several that cure it alone, or a set of which each is needed', async () => {
    expect((await found((some) => some.length > 0)).missing).to.deep.equal([
      ['grace'],
      ['health'],
      ['order'],
    ]);
    const both = await found((some) => some.includes('grace') && some.includes('health'));
    expect(both.missing).to.deep.equal([['grace', 'health']]);
  });

  it('is none where the bad one does not show it, or the good one does', async () => {
    expect((await found(() => true)).outcome).to.equal('bad-does-not-show');
    expect((await found(() => false)).outcome).to.equal('good-shows');
  });

  it('is unclear where too few trials count', async () => {
    const { outcome } = await findMissingFix(
      FIXES,
      async (some, trials) =>
        some.length === 0 ? { shown: 6, counted: 6 } : { shown: 0, counted: trials - 1 },
      { badTrials: 6, onProgress: () => undefined },
    );
    expect(outcome).to.equal('unclear');
  });
});
