import { expect } from 'chai';
import { readImages } from '../../../harness/image/index.ts';
import {
  type CheckSpec,
  matchesPoint,
  measureTrial,
  type Point,
  type TrialRecord,
} from '../../../harness/record/index.ts';
import {
  defaultPoint,
  expandGrid,
  faultStepsAt,
  type ResolvedScenario,
  readParameter,
} from '../../../harness/scenario/index.ts';
import { claimProblems, knownMutants, mutantClaims } from '../../../harness/session/index.ts';
import { loadSuite } from '../../../harness/suite/index.ts';
import { MUTANTS, VARIANTS } from '../points.ts';

const suite = loadSuite('suites/memberlist');
const image = readImages().filter(({ name }) => name === 'memberlist-node');

async function scenarioCalled(name: string): Promise<ResolvedScenario> {
  const found = (await suite).scenarios.find((scenario) => scenario.name === name);
  if (!found) throw new Error(`no scenario "${name}"`);
  return found;
}

const pointsOf = (scenario: ResolvedScenario, grid: string): Point[] => {
  const found = scenario.grids[grid];
  if (!found) throw new Error(`${scenario.name} has no grid "${grid}"`);
  return expandGrid(scenario, found, {});
};

const checksAt = (scenario: ResolvedScenario, point: Point): CheckSpec[] =>
  scenario.checks.filter((check) => matchesPoint(point, check.where));

const countBy = (points: readonly Point[], name: string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const point of points) counts[String(point[name])] = (counts[String(point[name])] ?? 0) + 1;
  return counts;
};

describe('mutants of the node', () => {
  it('are each claimed by a scenario, and every one that is claimed exists', async () => {
    const mutants = knownMutants(image);
    const claims = mutantClaims((await suite).scenarios, mutants);
    expect(claimProblems(claims, mutants)).to.deep.equal([]);
    expect(mutants.map(({ mutant }) => mutant)).to.have.members(MUTANTS);
  });

  it('and its variants are those that the suite runs', async () => {
    const [node] = image;
    expect(Object.keys(node?.variants ?? {})).to.have.members(VARIANTS);
  });

  it('are judged at a point where more than the guards has a say, none of it expected to fail', async () => {
    const claims = mutantClaims((await suite).scenarios, knownMutants(image));
    for (const { mutant, scenario, controlPoint } of claims) {
      const judging = checksAt(scenario, controlPoint).filter(({ kind }) => kind !== 'guard');
      expect(judging, mutant).to.not.be.empty;
      const turned = (scenario.expect ?? []).filter(({ where }) => matchesPoint(controlPoint, where));
      expect(turned, mutant).to.be.empty;
    }
  });

  it('run by hand, are judged by the checks of the fix that they break', async () => {
    const claims = mutantClaims((await suite).scenarios, knownMutants(image));
    for (const { mutant, scenario, controlPoint, mutantPoint } of claims) {
      const titles = (point: Point) => checksAt(scenario, point).map(({ title }) => title);
      expect(titles(mutantPoint), mutant).to.deep.equal(titles(controlPoint));
    }
  });
});

describe('grids of the suite', () => {
  it('expand to points whose parameters are valid, each once', async () => {
    for (const scenario of (await suite).scenarios) {
      for (const name of Object.keys(scenario.grids)) {
        const points = pointsOf(scenario, name);
        const label = `${scenario.name} ${name}`;
        expect(points, label).to.not.be.empty;
        expect(new Set(points.map((point) => JSON.stringify(point))).size, label).to.equal(points.length);
        for (const point of points) {
          expect(Object.keys(point), label).to.have.members(Object.keys(scenario.parameters));
          for (const [parameter, spec] of Object.entries(scenario.parameters)) {
            const value = point[parameter] as string | number | boolean;
            expect(readParameter(parameter, spec, value), `${label} ${parameter}`).to.equal(value);
          }
          expect(Number(point['cutoff'] ?? 1), label).to.be.below(Number(point['size']));
        }
      }
    }
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

describe('clauses of the suite', () => {
  it('each match a point of some grid, so that none says nothing', async () => {
    for (const scenario of (await suite).scenarios) {
      const points = Object.keys(scenario.grids).flatMap((name) => pointsOf(scenario, name));
      const clauses = [
        ...scenario.checks.map(({ title, where }) => ({ title, where })),
        ...(scenario.aggregates ?? []).map(({ title, where }) => ({ title, where })),
        ...(scenario.expect ?? []).map(({ check, where }) => ({ title: `expected: ${check}`, where })),
      ];
      for (const { title, where } of clauses) {
        const matching = points.filter((point) => matchesPoint(point, where));
        expect(matching, `${scenario.name}: ${title}`).to.not.be.empty;
      }
    }
  });

  it('expect a failure only of a check that is judged there', async () => {
    const outage = await scenarioCalled('outage');
    for (const point of pointsOf(outage, 'full')) {
      const titles = checksAt(outage, point).map(({ title }) => title);
      for (const { check, where } of outage.expect ?? [])
        if (matchesPoint(point, where)) expect(titles).to.include(check);
    }
  });

  it('name measures that the scenario takes', async () => {
    const nothing = { faults: [], phases: [], nodes: [], startNs: 0, endNs: 0, warp: 1 };
    for (const scenario of (await suite).scenarios) {
      const taken = Object.keys(measureTrial(scenario.measure, nothing as unknown as TrialRecord, []));
      const named = [
        ...scenario.measures.map(({ name }) => name),
        ...(scenario.aggregates ?? []).flatMap(({ measure, of }) => (of ? [measure, of] : [measure])),
        ...scenario.checks.flatMap(({ parameters }) =>
          typeof parameters['measure'] === 'string' ? [parameters['measure']] : [],
        ),
        ...(scenario.plots ?? []).flatMap(({ kind, y }) => (kind === 'timeline' ? [] : [y])),
      ];
      expect(taken, scenario.name).to.include.members(named);
    }
  });

  it('show every published figure of a scenario beside one of ours', async () => {
    for (const scenario of (await suite).scenarios) {
      const shown = (scenario.aggregates ?? []).flatMap(({ published }) => [...(published ?? [])]);
      expect(shown, scenario.name).to.include.members((scenario.published ?? []).map(({ id }) => id));
    }
  });

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

  it('lose packets only where a loss was asked for, and then must show it', async () => {
    const clean = await scenarioCalled('crash');
    const lossy = await scenarioCalled('crash-under-loss');
    const kinds = (scenario: ResolvedScenario) =>
      faultStepsAt(scenario, defaultPoint(scenario.parameters)).map(({ kind }) => kind);
    expect(kinds(clean)).to.deep.equal(['kill']);
    expect(kinds(lossy)).to.deep.equal(['loss', 'kill']);
    for (const step of faultStepsAt(lossy, defaultPoint(lossy.parameters)))
      expect(step.mustShow).to.equal(undefined);
  });
});
