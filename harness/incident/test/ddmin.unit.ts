import { expect } from 'chai';
import fc from 'fast-check';
import { ddmin, lowestShowing } from '../ddmin.ts';

describe('taking away what is not needed', () => {
  it('leaves exactly what is needed, whatever that is, when more always shows it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(30), { maxLength: 5 }),
        fc.integer({ min: 1, max: 31 }),
        async (picked, length) => {
          const items = Array.from({ length }, (_, index) => index);
          const needed = picked.filter((one) => one < length);
          const kept = await ddmin(items, async (some) => needed.every((one) => some.includes(one)));
          expect(kept).to.deep.equal([...needed].sort((a, b) => a - b));
        },
      ),
      { numRuns: 60, seed: 7 },
    );
  });

  it('asks little when little is needed', async () => {
    let asked = 0;
    await ddmin(
      Array.from({ length: 64 }, (_, index) => index),
      async (some) => {
        asked += 1;
        return some.includes(41);
      },
    );
    expect(asked).to.be.below(30);
  });

  it('finds the lowest number within the step, never above where it began', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(60), fc.nat(60), async (a, b) => {
        const [needed, from] = [Math.min(a, b), Math.max(a, b)];
        const range = { lowest: 0, from, step: 1, tries: 20 };
        expect(await lowestShowing(range, async (value) => value >= needed)).to.equal(needed);
      }),
      { numRuns: 100, seed: 7 },
    );
  });

  it('asks about the lowest first, and no more than it may', async () => {
    const asked: number[] = [];
    const range = { lowest: 1, from: 60, step: 1, tries: 3 };
    await lowestShowing(range, async (value) => asked.push(value) > 0 && value >= 50);
    expect(asked).to.deep.equal([1, 31, 46]);
  });
});
