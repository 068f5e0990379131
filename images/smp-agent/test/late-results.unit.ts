import { expect } from 'chai';
import fc from 'fast-check';
import { CHOICE_EVENT_KINDS, type ChoiceEventKind, type GuardedSite, SITE_OF } from '../choice-event.ts';
import type { ChoiceRules } from '../choice-rules.ts';
import { ChoiceFixture, repick } from './choice-fixture.ts';

interface Step {
  readonly kind: ChoiceEventKind | 'choose';
  readonly proxy: string;
  readonly afterMs: number;
}

/** Results of three proxies in any order, with picks in between, over minutes. */
const interleaving: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('choose' as const, ...CHOICE_EVENT_KINDS),
    proxy: fc.constantFrom('P1', 'P2', 'P3'),
    afterMs: fc.integer({ min: 0, max: 20_000 }),
  }),
  { maxLength: 40 },
);

/** Whether any step changed the entry of a proxy that it was not about. */
async function changesAnothers(rules: ChoiceRules, steps: readonly Step[]): Promise<boolean> {
  const fixture = new ChoiceFixture(rules);
  for (const { kind, proxy, afterMs } of steps) {
    if (kind === 'choose') {
      fixture.choices.choose('R');
      continue;
    }
    const before = JSON.stringify([fixture.proxy, fixture.streakSinceMs]);
    const isAnothers = fixture.proxy !== undefined && fixture.proxy !== proxy;
    await fixture.clock.leap(afterMs);
    fixture.choices.apply({ kind, proxy, destination: 'R' });
    if (isAnothers && JSON.stringify([fixture.proxy, fixture.streakSinceMs]) !== before) return true;
  }
  return false;
}

describe('results of old and new proxies in any order', () => {
  it('never change the entry of another proxy', async () => {
    await fc.assert(
      fc.asyncProperty(interleaving, async (steps) => {
        expect(await changesAnothers(repick({ countClientTimeouts: true }), steps)).to.equal(false);
      }),
      { numRuns: 60, seed: 4 },
    );
  });

  const guards: readonly (readonly [GuardedSite, keyof ChoiceRules])[] = [
    ['failure', 'guardFailure'],
    ['success', 'guardSuccess'],
    ['disconnect', 'guardDisconnect'],
    ['prxy', 'guardPrxy'],
  ];
  for (const [site, guard] of guards) {
    it(`do so with ${guard} off, and then only by results of that kind`, async () => {
      const rules = repick({ [guard]: false });
      const samples = fc.sample(interleaving, { numRuns: 150, seed: 4 });
      const changed = await Promise.all(samples.map((steps) => changesAnothers(rules, steps)));
      expect(changed.filter(Boolean).length).to.be.above(1);
      const without = samples.map((steps) =>
        steps.filter(({ kind }) => kind === 'choose' || SITE_OF[kind] !== site),
      );
      const others = await Promise.all(without.map((steps) => changesAnothers(rules, steps)));
      expect(others.filter(Boolean)).to.deep.equal([]);
    });
  }
});
