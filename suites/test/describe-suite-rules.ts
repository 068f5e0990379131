import { expect } from 'chai';
import { readImages } from '../../harness/image/index.ts';
import {
  type CheckSpec,
  matchesPoint,
  measureTrial,
  type Point,
  type TrialRecord,
} from '../../harness/record/index.ts';
import {
  defaultPoint,
  expandGrid,
  faultStepsAt,
  type ResolvedScenario,
  readParameter,
} from '../../harness/scenario/index.ts';
import {
  checkFaults,
  claimProblems,
  knownMutants,
  makePlan,
  mutantClaims,
} from '../../harness/session/index.ts';
import { loadSuite } from '../../harness/suite/index.ts';

export interface SuiteFacts {
  /** Images whose mutants the suite has to notice. */
  readonly images: readonly string[];
  /** All mutants of these images. */
  readonly mutants: readonly string[];
  /** All variants of the image that the parameter `variant` is about. */
  readonly variants: { readonly image: string; readonly names: readonly string[] };
  /** By mutant, titles of checks that it leaves no value to: they are not asked of it. */
  readonly unasked?: Readonly<Record<string, readonly string[]>>;
}

export const pointsOf = (scenario: ResolvedScenario, grid: string): Point[] => {
  const found = scenario.grids[grid];
  if (!found) throw new Error(`${scenario.name} has no grid "${grid}"`);
  return expandGrid(scenario, found, {});
};

export const checksAt = (scenario: ResolvedScenario, point: Point): CheckSpec[] =>
  scenario.checks.filter((check) => matchesPoint(point, check.where));

const gridPoints = (scenario: ResolvedScenario): Point[] =>
  Object.keys(scenario.grids).flatMap((name) => pointsOf(scenario, name));

/** Finds scenarios of a suite by name. */
export const scenarioOf =
  (folder: string) =>
  async (name: string): Promise<ResolvedScenario> => {
    const found = (await loadSuite(folder)).scenarios.find((scenario) => scenario.name === name);
    if (!found) throw new Error(`${folder} has no scenario "${name}"`);
    return found;
  };

/** What holds of every suite that kills mutants: of its claims, its grids and its clauses. */
export function describeSuiteRules(folder: string, facts: SuiteFacts): void {
  const scenarios = async () => (await loadSuite(folder)).scenarios;
  const images = readImages().filter(({ name }) => facts.images.includes(name));
  const claims = async () => mutantClaims(await scenarios(), knownMutants(images));

  describe(`mutants of ${facts.images.join(' and ')}`, () => {
    it('are each claimed by a scenario, and every one that is claimed exists', async () => {
      const mutants = knownMutants(images);
      expect(claimProblems(await claims(), mutants)).to.deep.equal([]);
      expect(mutants.map(({ mutant }) => mutant)).to.have.members([...facts.mutants]);
    });

    it('and its variants are those that the suite runs', () => {
      const image = images.find(({ name }) => name === facts.variants.image);
      expect(Object.keys(image?.variants ?? {})).to.have.members([...facts.variants.names]);
    });

    it('are judged at a point where more than the guards has a say, none of it expected to fail', async () => {
      for (const { mutant, scenario, controlPoint } of await claims()) {
        const judging = checksAt(scenario, controlPoint).filter(({ kind }) => kind !== 'guard');
        expect(judging, mutant).to.not.be.empty;
        const turned = (scenario.expect ?? []).filter(({ where }) => matchesPoint(controlPoint, where));
        expect(turned, mutant).to.be.empty;
      }
    });

    it('run by hand, are judged by the checks of the fix that they break', async () => {
      for (const { mutant, scenario, controlPoint, mutantPoint } of await claims()) {
        const titles = (point: Point) => checksAt(scenario, point).map(({ title }) => title);
        const unasked = facts.unasked?.[mutant] ?? [];
        expect(titles(controlPoint), mutant).to.include.members([...unasked]);
        expect(titles(mutantPoint), mutant).to.deep.equal(
          titles(controlPoint).filter((title) => !unasked.includes(title)),
        );
      }
    });
  });

  describe(`grids of ${folder}`, () => {
    it('expand to points whose parameters are valid, each once', async () => {
      for (const scenario of await scenarios()) {
        for (const name of Object.keys(scenario.grids)) {
          const points = pointsOf(scenario, name);
          const label = `${scenario.name} ${name}`;
          expect(points, label).to.not.be.empty;
          expect(new Set(points.map((point) => JSON.stringify(point))).size, label).to.equal(points.length);
          for (const point of points) expectValid(scenario, point, label);
        }
      }
    });
  });

  describe(`faults of ${folder}`, () => {
    it('are such as their nodes can take, by all that is known before a start', async () => {
      for (const scenario of await scenarios()) {
        // Points that disturb alike are one case.
        const cases = new Map(
          gridPoints(scenario).map((point) => [JSON.stringify(faultStepsAt(scenario, point)), point]),
        );
        checkFaults(makePlan({ selections: [{ scenario, points: [...cases.values()] }], command: [] }));
      }
    });
  });

  describe(`clauses of ${folder}`, () => {
    it('each match a point of some grid or of a mutant, so that none says nothing', async () => {
      for (const scenario of await scenarios()) {
        const points = [
          ...gridPoints(scenario),
          ...(scenario.kills ?? []).map(({ point }) => ({ ...defaultPoint(scenario.parameters), ...point })),
        ];
        for (const { title, where } of clausesOf(scenario)) {
          const matching = points.filter((point) => matchesPoint(point, where));
          expect(matching, `${scenario.name}: ${title}`).to.not.be.empty;
        }
      }
    });

    it('expect a failure only of a check that is judged there', async () => {
      for (const scenario of await scenarios()) {
        for (const point of gridPoints(scenario)) {
          const titles = checksAt(scenario, point).map(({ title }) => title);
          for (const { check, where } of scenario.expect ?? [])
            if (matchesPoint(point, where)) expect(titles, scenario.name).to.include(check);
        }
      }
    });

    it('give every bound a reason', async () => {
      for (const scenario of await scenarios()) {
        const bounds = scenario.checks.filter(({ check }) => check === 'measure-bound');
        for (const { title, reason } of bounds) expect(reason, `${scenario.name}: ${title}`).to.match(/\w/);
      }
    });

    it('name measures that the scenario takes', async () => {
      const nothing = { point: {}, faults: [], phases: [], nodes: [], startNs: 0, endNs: 0, warp: 1 };
      for (const scenario of await scenarios()) {
        const taken = Object.keys(measureTrial(scenario.measure, nothing as unknown as TrialRecord, []));
        expect(taken, scenario.name).to.include.members(measuresNamedBy(scenario));
      }
    });
  });
}

function expectValid(scenario: ResolvedScenario, point: Point, label: string): void {
  expect(Object.keys(point), label).to.have.members(Object.keys(scenario.parameters));
  for (const [parameter, spec] of Object.entries(scenario.parameters)) {
    const value = point[parameter] as string | number | boolean;
    expect(readParameter(parameter, spec, value), `${label} ${parameter}`).to.equal(value);
  }
}

function clausesOf(scenario: ResolvedScenario) {
  return [
    ...scenario.checks.map(({ title, where }) => ({ title, where })),
    ...(scenario.aggregates ?? []).map(({ title, where }) => ({ title, where })),
    ...(scenario.expect ?? []).map(({ check, where }) => ({ title: `expected: ${check}`, where })),
    ...scenario.phases.flatMap(({ steps }) =>
      steps.map(({ name, when }) => ({ title: `step ${name}`, where: when })),
    ),
  ];
}

/** Plots whose y is an event and no measure. */
const OF_EVENTS: readonly string[] = ['timeline', 'course', 'graph'];

function measuresNamedBy(scenario: ResolvedScenario): string[] {
  return [
    ...scenario.measures.map(({ name }) => name),
    ...(scenario.aggregates ?? []).flatMap(({ measure, of }) => (of ? [measure, of] : [measure])),
    ...scenario.checks.flatMap(({ parameters }) =>
      typeof parameters['measure'] === 'string' ? [parameters['measure']] : [],
    ),
    ...(scenario.comparisons ?? []).map(({ primary }) => primary.measure),
    ...(scenario.plots ?? []).flatMap(({ kind, y }) => (OF_EVENTS.includes(kind) ? [] : [y])),
  ];
}
