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
import { HANDSHAKE_BYTES } from '../bed.ts';
import { MUTANTS, VARIANTS } from '../points.ts';

const suite = loadSuite('suites/smp');
const images = readImages().filter(({ name }) => name === 'smp-agent' || name === 'smp-server');

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

const allPoints = (scenario: ResolvedScenario): Point[] =>
  Object.keys(scenario.grids).flatMap((name) => pointsOf(scenario, name));

const checksAt = (scenario: ResolvedScenario, point: Point): CheckSpec[] =>
  scenario.checks.filter((check) => matchesPoint(point, check.where));

describe('mutants of agent and server', () => {
  it('are each claimed by a scenario, and every one that is claimed exists', async () => {
    const mutants = knownMutants(images);
    const claims = mutantClaims((await suite).scenarios, mutants);
    expect(claimProblems(claims, mutants)).to.deep.equal([]);
    expect(mutants.map(({ mutant }) => mutant)).to.have.members([...MUTANTS, 'stuck-connect']);
  });

  it('and the agent’s variants are those that the suite runs', () => {
    const agent = images.find(({ name }) => name === 'smp-agent');
    expect(Object.keys(agent?.variants ?? {})).to.have.members(VARIANTS);
  });

  it('are one for each piece of the fix', () => {
    for (const { name, fixes, mutants } of images) {
      const broken = Object.values(mutants).map(({ mutates }) => mutates.fix);
      expect(broken, name).to.have.members(fixes);
    }
  });

  it('are judged at a point where more than the guards has a say, none of it expected to fail', async () => {
    const claims = mutantClaims((await suite).scenarios, knownMutants(images));
    for (const { mutant, scenario, controlPoint } of claims) {
      const judging = checksAt(scenario, controlPoint).filter(({ kind }) => kind !== 'guard');
      expect(judging, mutant).to.not.be.empty;
      const turned = (scenario.expect ?? []).filter(({ where }) => matchesPoint(controlPoint, where));
      expect(turned, mutant).to.be.empty;
    }
  });

  it('run by hand, are judged by the checks of the fix that they break', async () => {
    const claims = mutantClaims((await suite).scenarios, knownMutants(images));
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
        }
      }
    }
  });

  it('have at least 10 trials where a time to recover is a distribution', async () => {
    for (const scenario of (await suite).scenarios) {
      const isDistribution = (scenario.plots ?? []).some(({ kind }) => kind === 'survival');
      if (isDistribution) expect(scenario.trials, scenario.name).to.be.at.least(10);
    }
  });

  it('the gate must see the old agent stuck and the new one connect, in one trial each', async () => {
    const row = await scenarioCalled('contact-joins');
    const points = pointsOf(row, 'gate');
    expect(points.map(({ variant }) => variant)).to.deep.equal(['master', 'repick']);
    expect(row.grids['gate']?.trials).to.equal(1);
    for (const point of points) {
      const connects = checksAt(row, point).find(({ title }) => title === 'the agent connects');
      expect(connects, String(point['variant'])).to.not.equal(undefined);
      const expected = row.expect?.find(
        ({ check, where }) => check === connects?.title && matchesPoint(point, where),
      );
      expect(expected?.outcome).to.equal(point['variant'] === 'master' ? 'fail' : undefined);
    }
  });
});

describe('clauses of the suite', () => {
  it('each match a point of some grid or of a mutant, so that none says nothing', async () => {
    for (const scenario of (await suite).scenarios) {
      const points = [
        ...allPoints(scenario),
        ...(scenario.kills ?? []).map(({ point }) => ({ ...defaultPoint(scenario.parameters), ...point })),
      ];
      const clauses = [
        ...scenario.checks.map(({ title, where }) => ({ title, where })),
        ...(scenario.aggregates ?? []).map(({ title, where }) => ({ title, where })),
        ...(scenario.expect ?? []).map(({ check, where }) => ({ title: `expected: ${check}`, where })),
        ...scenario.phases.flatMap(({ steps }) =>
          steps.map(({ name, when }) => ({ title: `step ${name}`, where: when })),
        ),
      ];
      for (const { title, where } of clauses) {
        const matching = points.filter((point) => matchesPoint(point, where));
        expect(matching, `${scenario.name}: ${title}`).to.not.be.empty;
      }
    }
  });

  it('expect a failure only of a check that is judged there', async () => {
    for (const scenario of (await suite).scenarios) {
      for (const point of allPoints(scenario)) {
        const titles = checksAt(scenario, point).map(({ title }) => title);
        for (const { check, where } of scenario.expect ?? [])
          if (matchesPoint(point, where)) expect(titles, scenario.name).to.include(check);
      }
    }
  });

  it('give every bound a reason', async () => {
    for (const scenario of (await suite).scenarios) {
      const bounds = scenario.checks.filter(({ check }) => check === 'measure-bound');
      for (const { title, reason } of bounds) expect(reason, `${scenario.name}: ${title}`).to.match(/\w/);
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
        ...(scenario.comparisons ?? []).map(({ primary }) => primary.measure),
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
});

describe('faults of the suite', () => {
  it('let the handshakes of a connection from P1 to R pass, in the document’s row', async () => {
    const row = await scenarioCalled('contact-joins');
    const [hole] = faultStepsAt(row, defaultPoint(row.parameters));
    expect(hole).to.include({
      kind: 'blackhole-after',
      from: 'proxy-1',
      to: 'relay-1',
      bytes: HANDSHAKE_BYTES,
    });
    expect(hole?.for, 'it lasts as long as the trial').to.equal(undefined);
  });

  it('are of one kind at a time where a row compares kinds', async () => {
    for (const [name, parameter] of [
      ['other-holes', 'hole'],
      ['healing', 'heal'],
      ['slow-link', 'speed'],
    ] as const) {
      const scenario = await scenarioCalled(name);
      const kinds = pointsOf(scenario, 'quick').map((point) => [
        point[parameter],
        faultStepsAt(scenario, point).map(({ id }) => id),
      ]);
      for (const [value, ids] of kinds) expect(ids, name).to.deep.equal([`cut-${value}`]);
    }
  });

  it('flap five times, each for as long as it pauses', async () => {
    const scenario = await scenarioCalled('flap');
    for (const point of pointsOf(scenario, 'quick')) {
      const cuts = faultStepsAt(scenario, point);
      expect(cuts).to.have.lengthOf(5);
      expect(new Set(cuts.map((cut) => cut.for))).to.deep.equal(
        new Set([`${Number(point['period']) / 1000}s`]),
      );
    }
  });
});

describe('rows of the suite', () => {
  it('begin with a phase of their own, so that nothing of the trial before is taken for theirs', async () => {
    for (const { name, phases } of (await suite).scenarios) expect(phases[0]?.name, name).to.equal('begin');
  });
});
