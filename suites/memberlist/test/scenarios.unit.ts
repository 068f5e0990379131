import { expect } from 'chai';
import { matchesPoint, type Point } from '../../../harness/record/index.ts';
import { defaultPoint, faultStepsAt, type ResolvedScenario } from '../../../harness/scenario/index.ts';
import { loadSuite } from '../../../harness/suite/index.ts';
import { checksAt, describeSuiteRules, pointsOf, scenarioOf } from '../../test/describe-suite-rules.ts';
import { MUTANTS, VARIANTS } from '../points.ts';

const suite = loadSuite('suites/memberlist');
const scenarioCalled = scenarioOf('suites/memberlist');

const countBy = (points: readonly Point[], name: string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const point of points) counts[String(point[name])] = (counts[String(point[name])] ?? 0) + 1;
  return counts;
};

describeSuiteRules('suites/memberlist', {
  images: ['memberlist-node'],
  mutants: MUTANTS,
  variants: { image: 'memberlist-node', names: VARIANTS },
});

describe('grids of the suite', () => {
  it('leave somebody whole in every outage', async () => {
    for (const scenario of (await suite).scenarios)
      for (const name of Object.keys(scenario.grids))
        for (const point of pointsOf(scenario, name))
          expect(Number(point['cutoff'] ?? 1), `${scenario.name} ${name}`).to.be.below(Number(point['size']));
  });

  it('core has 63 outages for shipped and for both, and five points of each other variant', async () => {
    const outage = await scenarioCalled('outage');
    const points = pointsOf(outage, 'core');
    const trials = outage.grids['core']?.trials ?? outage.trials;
    expect(trials).to.equal(3);
    const wide = countBy(points, 'variant');
    expect([wide['shipped'], wide['both']].map((count) => (count ?? 0) * trials)).to.deep.equal([63, 63]);
    for (const variant of VARIANTS.filter((name) => name !== 'shipped' && name !== 'both'))
      expect(wide[variant], variant).to.equal(5);
  });

  it('core has one cell a variant of detection and of loss, and one control', async () => {
    const cells = async (name: string) => countBy(pointsOf(await scenarioCalled(name), 'core'), 'variant');
    expect(await cells('crash')).to.deep.equal(Object.fromEntries(VARIANTS.map((variant) => [variant, 1])));
    expect(await cells('loss')).to.deep.equal({ shipped: 1, both: 1 });
    expect(await cells('zero-outage')).to.deep.equal({ shipped: 1 });
  });

  it('full has every variant at 1, 8 and 32 nodes and every length, the zero one included', async () => {
    const outages = pointsOf(await scenarioCalled('outage'), 'full');
    const zero = pointsOf(await scenarioCalled('zero-outage'), 'full');
    for (const variant of VARIANTS) {
      expect(countBy(outages, 'variant')[variant], variant).to.equal(33);
      expect(countBy(zero, 'variant')[variant], variant).to.equal(3);
    }
  });

  it('must see false deaths with health at creation, and none with the penalty first, 1 node for 65 s', async () => {
    const outage = await scenarioCalled('outage');
    for (const [variant, outcomes] of [
      ['health-at-creation', ['fail']],
      ['health-at-creation-penalty-first', [undefined]],
    ] as const) {
      const [point] = pointsOf(outage, 'core').filter(
        (one) => one['variant'] === variant && one['cutoff'] === 1,
      );
      const about = checksAt(outage, point ?? {}).filter(
        ({ parameters }) => parameters['measure'] === 'falseDeaths',
      );
      const expected = about.map(
        ({ title }) =>
          outage.expect?.find(({ check, where }) => check === title && matchesPoint(point ?? {}, where))
            ?.outcome,
      );
      expect(expected, variant).to.deep.equal(outcomes);
    }
  });

  it('the gate must see the shipped library fail and the fixed one pass', async () => {
    const outage = await scenarioCalled('outage');
    const points = pointsOf(outage, 'gate');
    expect(points.map(({ variant }) => variant)).to.deep.equal(['shipped', 'both']);
    for (const point of points) {
      const about = checksAt(outage, point).filter(
        ({ parameters }) => parameters['measure'] === 'falseDeaths',
      );
      const expected = about.map(
        ({ title }) =>
          outage.expect?.find(({ check, where }) => check === title && matchesPoint(point, where))?.outcome ??
          'pass',
      );
      expect(expected, String(point['variant'])).to.deep.equal([
        point['variant'] === 'both' ? 'pass' : 'fail',
      ]);
    }
  });
});

describe('the power of the gate', () => {
  it('is that of the point which must fail, with the rest at its defaults', async () => {
    const outage = await scenarioCalled('outage');
    const measured = { ...defaultPoint(outage.parameters), ...outage.gate?.point };
    const [mustFail] = pointsOf(outage, 'gate');
    expect(mustFail).to.deep.equal(measured);
    expect(
      outage.expect?.some(({ where, outcome }) => outcome === 'fail' && matchesPoint(measured, where)),
    ).to.equal(true);
  });
});

describe('crashes under loss', () => {
  it('stand beside the document where only UDP is lost, as a difference', async () => {
    const { aggregates = [] } = await scenarioCalled('crash-under-loss');
    const slowest = aggregates.filter(({ op, less }) => op === 'max' && less !== undefined);
    for (const { firstTrials, atLeast } of slowest)
      expect([firstTrials, atLeast?.trials]).to.deep.equal([3, 3]);
    expect(slowest).to.have.lengthOf(4);
    const beside = aggregates.filter(({ published }) => published !== undefined);
    expect(beside).to.have.lengthOf(4);
    for (const { where, less } of beside) {
      expect(where).to.include({ protocol: 'udp', variant: 'both' });
      expect(less).to.deep.equal({ variant: 'shipped' });
    }
  });

  it('crash the same nodes in the n-th trial, whatever is lost', async () => {
    const scenario = await scenarioCalled('crash-under-loss');
    expect(pointsOf(scenario, 'full')).to.have.lengthOf(28);
    expect(scenario.parameters['protocol']?.side).to.equal(true);
  });
});

describe('the document’s sums', () => {
  it('are over its 54 outages, or there is none', async () => {
    const outage = await scenarioCalled('outage');
    const sums = (outage.aggregates ?? []).filter(({ published }) => published?.includes('sum-outages'));
    const ofAll = { atLeast: { points: 18, trials: 54 }, firstTrials: 3 };
    expect(sums.map(({ atLeast, firstTrials }) => ({ atLeast, firstTrials }))).to.deep.equal([ofAll, ofAll]);
    expect(pointsOf(outage, 'sums')).to.have.lengthOf(18);
    expect(pointsOf(outage, 'sums').every((point) => matchesPoint(point, sums[1]?.where))).to.equal(true);
  });
});

describe('clauses of the suite', () => {
  it('keep other cuts than the document’s out of its figures', async () => {
    const outage = await scenarioCalled('outage');
    const others = pointsOf(outage, 'isolation').filter(
      (point) => point['udp'] !== 'hold' || point['tcp'] !== 'drop' || point['direction'] !== 'both',
    );
    expect(others).to.have.lengthOf(8);
    for (const point of others) {
      for (const { title, where } of outage.aggregates ?? [])
        expect(matchesPoint(point, where), title).to.equal(false);
      for (const { where } of outage.expect ?? []) expect(matchesPoint(point, where)).to.equal(false);
    }
  });
});

describe('faults of the suite', () => {
  it('cut off the same nodes in each of five outages: one selector, and a trial has one seed', async () => {
    const scenario = await scenarioCalled('back-to-back');
    const cuts = faultStepsAt(scenario, defaultPoint(scenario.parameters));
    expect(cuts).to.have.lengthOf(5);
    expect(new Set(cuts.map(({ id }) => id)).size).to.equal(5);
    expect(new Set(cuts.map(({ on }) => on)).size).to.equal(1);
  });

  it('cut off four racks of eight different nodes', async () => {
    const scenario = await scenarioCalled('racks');
    const cuts = faultStepsAt(scenario, defaultPoint(scenario.parameters));
    expect(cuts.map(({ on }) => on)).to.deep.equal([
      'member[1..8]',
      'member[9..16]',
      'member[17..24]',
      'member[25..32]',
    ]);
  });

  it('hold nothing at all where everything is to be dropped', async () => {
    const scenario = await scenarioCalled('outage');
    const [cut] = faultStepsAt(scenario, { ...defaultPoint(scenario.parameters), udp: 'drop' });
    expect(cut).to.include({ udp: 'drop', tcp: 'drop', other: 'drop' });
  });

  it('must be seen at every node that is cut off, wherever the cut is long enough for that', async () => {
    const { scenarios } = await suite;
    for (const scenario of scenarios.filter(({ parameters }) => 'outage' in parameters)) {
      for (const grid of Object.keys(scenario.grids)) {
        for (const point of pointsOf(scenario, grid)) {
          for (const { id, mustShow, udp, tcp } of faultStepsAt(scenario, point)) {
            expect(mustShow, `${scenario.name} ${id}`).to.deep.equal({
              [udp === 'drop' ? 'each:droppedIn+droppedOut' : 'each:heldIn+heldOut']: 1,
              ...(tcp === 'drop' && { droppedTcp: 1 }),
            });
          }
        }
      }
    }
  });

  it('need not be seen at every node where a cut is too short, nor at all where it has no length', async () => {
    const outage = await scenarioCalled('outage');
    const defaults = defaultPoint(outage.parameters);
    const bounds = (change: Point) =>
      faultStepsAt(outage, { ...defaults, ...change }).map(({ mustShow }) => mustShow);
    expect(bounds({ outage: 1_000 })).to.deep.equal([undefined]);
    expect(bounds({ udp: 'pass' })).to.deep.equal([undefined]);
    const zero = await scenarioCalled('zero-outage');
    const [cut] = faultStepsAt(zero, defaultPoint(zero.parameters));
    expect(cut?.mustShow).to.deep.equal({});
  });

  it('are seen to be in force and to be gone, also where they have no length, which is then shown', async () => {
    const zero = await scenarioCalled('zero-outage');
    expect(zero.checks.map(({ check }) => check)).to.include('faults-bit');
    expect(zero.measures.map(({ name }) => name)).to.include.members(['cutLastedMs', 'packetsHeld']);
  });

  it('lose packets only where a loss was asked for, and then must show it', async () => {
    const clean = await scenarioCalled('crash');
    const lossy = await scenarioCalled('crash-under-loss');
    const kinds = (scenario: ResolvedScenario) =>
      faultStepsAt(scenario, defaultPoint(scenario.parameters)).map(({ kind }) => kind);
    expect(kinds(clean)).to.deep.equal(['kill']);
    expect(kinds(lossy)).to.deep.equal(['loss', 'kill']);
    for (const step of faultStepsAt(lossy, defaultPoint(lossy.parameters)))
      expect(step.mustShow).to.equal(undefined);
    const [loss] = faultStepsAt(lossy, { ...defaultPoint(lossy.parameters), protocol: 'all' });
    expect(loss?.protocol).to.equal('all');
  });
});
