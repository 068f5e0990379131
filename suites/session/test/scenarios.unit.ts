import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { readImages } from '../../../harness/image/index.ts';
import { matchesPoint, measureTrial, type Point, type TrialRecord } from '../../../harness/record/index.ts';
import {
  defaultPoint,
  expandGrid,
  type ResolvedScenario,
  readParameter,
} from '../../../harness/scenario/index.ts';
import { knownMutants, mutantClaims } from '../../../harness/session/index.ts';
import { loadSuite } from '../../../harness/suite/index.ts';
import { MUTANTS } from '../points.ts';
import { ruleTable } from '../rule-table.ts';

const suite = loadSuite('suites/session');
const images = readImages().filter(({ name }) => name === 'session-client' || name === 'session-storage');

const pointsOf = (scenario: ResolvedScenario): Point[] =>
  Object.values(scenario.grids).flatMap((grid) => expandGrid(scenario, grid, {}));

const claims = async () => mutantClaims((await suite).scenarios, knownMutants(images));

describe('mutants of client and storage node', () => {
  it('are each claimed by one course', async () => {
    const known = knownMutants(images).map(({ mutant }) => mutant);
    const claimed = (await claims()).map(({ mutant }) => mutant);
    expect(known).to.have.members(MUTANTS);
    expect(claimed).to.have.members(known);
    for (const { mutant, reason } of await claims()) expect(reason, mutant).to.match(/\w/);
  });

  it('stand in the list of rules with the course that kills them', async () => {
    const file = readFileSync(new URL('../rules.md', import.meta.url), 'utf8');
    const narrow = (text: string): string => text.replace(/ +/g, ' ').replace(/-{3,}/g, '---');
    expect(narrow(file)).to.equal(ruleTable((await suite).scenarios));
  });

  it('are judged at a point where more than the guards has a say, none of it expected to fail', async () => {
    for (const { mutant, scenario, controlPoint } of await claims()) {
      const judging = scenario.checks.filter(
        ({ kind, where }) => kind !== 'guard' && matchesPoint(controlPoint, where),
      );
      expect(judging, mutant).to.not.be.empty;
      const turned = (scenario.expect ?? []).filter(({ where }) => matchesPoint(controlPoint, where));
      expect(turned, mutant).to.be.empty;
    }
  });

  it('run by hand, are judged by the checks of the rule that they break', async () => {
    for (const { mutant, scenario, controlPoint, mutantPoint } of await claims()) {
      const titles = (point: Point) =>
        scenario.checks.filter(({ where }) => matchesPoint(point, where)).map(({ title }) => title);
      expect(titles(mutantPoint), mutant).to.deep.equal(titles(controlPoint));
    }
  });
});

describe('rows of the session suite', () => {
  it('expand to points whose parameters are valid, each once', async () => {
    for (const scenario of (await suite).scenarios) {
      for (const grid of Object.values(scenario.grids)) {
        const points = expandGrid(scenario, grid, {});
        expect(points, scenario.name).to.not.be.empty;
        expect(new Set(points.map((point) => JSON.stringify(point))).size).to.equal(points.length);
        for (const point of points)
          for (const [parameter, spec] of Object.entries(scenario.parameters)) {
            const value = point[parameter] as string | number | boolean;
            expect(readParameter(parameter, spec, value), `${scenario.name} ${parameter}`).to.equal(value);
          }
      }
    }
  });

  it('judge every course of the final client, and expect a failure only of a check that is judged there', async () => {
    for (const scenario of (await suite).scenarios) {
      for (const point of pointsOf(scenario)) {
        const titles = scenario.checks
          .filter(({ kind, where }) => kind !== 'guard' && matchesPoint(point, where))
          .map(({ title }) => title);
        expect(titles, `${scenario.name} ${JSON.stringify(point)}`).to.not.be.empty;
        for (const { check, where } of scenario.expect ?? [])
          if (matchesPoint(point, where)) expect(titles, scenario.name).to.include(check);
      }
    }
  });

  it('have no clause that matches no point', async () => {
    for (const scenario of (await suite).scenarios) {
      const points = [
        ...pointsOf(scenario),
        ...(scenario.kills ?? []).map(({ point }) => ({ ...defaultPoint(scenario.parameters), ...point })),
      ];
      const clauses = [...scenario.checks, ...(scenario.aggregates ?? [])];
      for (const { title, where } of clauses)
        expect(
          points.some((point) => matchesPoint(point, where)),
          `${scenario.name}: ${title}`,
        ).to.equal(true);
    }
  });

  it('give every bound a reason, and name only measures that they take', async () => {
    const nothing = { faults: [], phases: [], nodes: [], startNs: 0, endNs: 0, warp: 1 };
    for (const scenario of (await suite).scenarios) {
      const taken = Object.keys(measureTrial(scenario.measure, nothing as unknown as TrialRecord, []));
      const bounds = scenario.checks.filter(({ check }) => check === 'measure-bound');
      for (const { title, reason } of bounds) expect(reason, `${scenario.name}: ${title}`).to.match(/\w/);
      const named = [
        ...scenario.measures.map(({ name }) => name),
        ...bounds.map(({ parameters }) => String(parameters['measure'])),
        ...(scenario.aggregates ?? []).map(({ measure }) => measure),
      ];
      expect(taken, scenario.name).to.include.members(named);
    }
  });

  it('begin with a phase of their own, so that nothing of the trial before is taken for theirs', async () => {
    for (const { name, phases } of (await suite).scenarios) expect(phases[0]?.name, name).to.equal('begin');
  });
});
