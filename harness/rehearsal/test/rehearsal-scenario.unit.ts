import { expect } from 'chai';
import { requireScenario } from '../../scenario/index.ts';
import { scenarioSpec } from '../../scenario/test/fake-scenario.ts';
import type { RehearsalSpec } from '../../topology/index.ts';
import { nameSides, rehearsalScenario } from '../index.ts';

const SPEC: RehearsalSpec = {
  suite: 'suites/fake',
  candidate: ['joiner'],
  baseline: ['incumbent'],
  waves: 5,
  mostWaves: 20,
  looks: 4,
  set: { outage: '10s' },
  primary: { measure: 'drainS', better: 'lower', margin: 5 },
  secondary: [{ measure: 'drops', better: 'lower', margin: 0, reason: 'each is a stall' }],
  noLoss: ['keysLost'],
  abort: {},
};

const BASE = requireScenario(
  scenarioSpec({
    measures: ['drainS', 'drops', 'keysLost'].map((name) => ({ name, title: name, unit: '' })),
    plots: [{ title: 'drained', kind: 'survival', y: 'drainS', series: 'variant' }],
  }),
  { suite: 'fake' },
);

const made = rehearsalScenario(BASE, SPEC, nameSides('app:1', ['app:2', 'app:1']), '/t.yaml');

describe('scenario of a rehearsal', () => {
  it('tells the baseline from itself', () => {
    expect(nameSides('app:1', ['app:2', 'app:1']).candidates.map(({ label }) => label)).to.deep.equal([
      'app:2',
      'app:1 (2)',
    ]);
    expect(() => nameSides('app:1', [])).to.throw(/no candidate/);
  });

  it('gives each side its image where the candidate goes, and the baseline everywhere else', () => {
    const imagesAt = (side: string) =>
      typeof made.overrides === 'function' ? made.overrides({ side, cutoff: 1, variant: 'both' }).images : {};
    expect(imagesAt('app:2')).to.deep.equal({ incumbent: 'app:1', joiner: 'app:2' });
    expect(imagesAt('app:1 (2)')).to.deep.equal({ incumbent: 'app:1', joiner: 'app:1' });
  });

  it('compares each candidate with the baseline, at the level that all looks together ask for', () => {
    expect(made.comparisons?.map(({ candidate, baseline }) => [candidate, baseline])).to.deep.equal([
      ['app:2', 'app:1'],
      ['app:1 (2)', 'app:1'],
    ]);
    const [first] = made.comparisons ?? [];
    expect(first?.primary).to.deep.equal({ measure: 'drainS', better: 'lower', margin: 5, level: 0.9875 });
    expect(first?.noLoss).to.deep.equal(['keysLost']);
    expect(first).not.to.have.property('noMore');
  });

  it('asks at the same level of what there may not be more, and of measures that there are', () => {
    const noMore = [{ measure: 'drops', better: 'lower' as const, margin: 2 }];
    const guarded = rehearsalScenario(BASE, { ...SPEC, noMore }, nameSides('a', ['b']), '/t.yaml');
    expect(guarded.comparisons?.[0]?.noMore).to.deep.equal([
      { measure: 'drops', better: 'lower', margin: 2, level: 0.9875 },
    ]);
    expect(guarded.checks).to.have.length(made.checks.length);
    const misspelt = [{ measure: 'drop', better: 'lower' as const, margin: 2 }];
    expect(() =>
      rehearsalScenario(BASE, { ...SPEC, noMore: misspelt }, nameSides('a', ['b']), '/t.yaml'),
    ).to.throw(/no measure "drop".*drops/);
  });

  it('fails a wave of either side that loses something, and asks once where its scenario asks that already', () => {
    const check = {
      check: 'measure-bound',
      title: 'nothing is lost: keysLost',
      kind: 'invariant',
      parameters: { measure: 'keysLost', op: '=', value: 0 },
    } as const;
    expect(made.checks).to.have.length(BASE.checks.length + 1);
    expect(made.checks.at(-1)).to.deep.include(check);
    const asks = (own: (typeof BASE.checks)[number]) =>
      rehearsalScenario({ ...BASE, checks: [own] }, SPEC, nameSides('a', ['b']), '/t.yaml').checks.length;
    expect(asks(check)).to.equal(1);
    expect(asks({ ...check, where: { variant: 'both' } })).to.equal(2);
    expect(asks({ ...check, parameters: { ...check.parameters, op: '<=', value: 5 } })).to.equal(2);
  });

  it('hands on how far a wave was watched, as which it counts when it did not end', () => {
    const spec = { ...SPEC, primary: { ...SPEC.primary, openAs: 'drops' } };
    const [first] = rehearsalScenario(BASE, spec, nameSides('a', ['b']), '/t.yaml').comparisons ?? [];
    expect(first?.primary.openAs).to.equal('drops');
  });

  it('runs every wave on a fresh bed, sides as sides, and sets what the topology sets', () => {
    expect(made.bed).to.equal('fresh');
    expect(made.parameters['side']).to.include({ side: true, default: 'app:1' });
    expect(made.parameters['outage']?.default).to.equal('10s');
    expect(made.plots?.[0]?.series).to.equal('side');
  });

  for (const [changes, problem] of [
    [{ noLoss: ['keyslost'] }, /no measure "keyslost"; did you mean "keysLost"/],
    [{ primary: { ...SPEC.primary, openAs: 'watchdS' } }, /no measure "watchdS"/],
    [{ set: { outag: '1s' } }, /no parameter "outag"; did you mean "outage"/],
    [{ set: { cutoff: 0 } }, /at least 1/],
  ] as const satisfies readonly (readonly [Partial<RehearsalSpec>, RegExp])[]) {
    it(`refuses ${JSON.stringify(changes)}`, () => {
      expect(() =>
        rehearsalScenario(BASE, { ...SPEC, ...changes }, nameSides('a', ['b']), '/t.yaml'),
      ).to.throw(problem);
    });
  }
});
