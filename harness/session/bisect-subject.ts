import { suggestionFor } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import type { IncidentChecks } from '../incident/index.ts';
import { type CheckSpec, matchesPoint, type ParameterValue, type Point } from '../record/index.ts';
import {
  CRASH_EVENT,
  defaultPoint,
  fillOverrides,
  MISSED_EVENT,
  type ResolvedScenario,
  readParameter,
} from '../scenario/index.ts';
import type { TopologyOverrides } from '../topology/index.ts';

/** What is bisected: a scenario at a point, and the checks whose failure is the defect. */
export interface BisectSubject {
  readonly scenario: ResolvedScenario;
  readonly point: Point;
  readonly checks: IncidentChecks;
}

/**
 * The subject that a call names. The point is the scenario's gate point, or else its defaults, with the values given.
 * The symptoms are the checks of these titles, or those that are expected to fail, or the only invariant at the point.
 * @throws SquallError `bad-parameter`, `unknown-check`, `which-check` (input)
 */
export function bisectSubject(
  scenario: ResolvedScenario,
  given: Readonly<Record<string, ParameterValue>>,
  titles: readonly string[],
): BisectSubject {
  const read = Object.entries(given).map(([name, raw]) => {
    const spec = scenario.parameters[name];
    if (spec) return [name, readParameter(name, spec, raw)] as const;
    throw new SquallError(
      `scenario ${scenario.name}: no parameter "${name}"${suggestionFor(name, Object.keys(scenario.parameters))}.`,
      { code: 'bad-parameter', blame: 'input' },
    );
  });
  const point = {
    ...defaultPoint(scenario.parameters),
    ...scenario.gate?.point,
    ...Object.fromEntries(read),
  };
  const symptoms = symptomsOf(scenario, point, titles).map(({ where: _where, ...check }) => check);
  return { scenario, point, checks: { symptoms, held: [] } };
}

function symptomsOf(
  scenario: ResolvedScenario,
  point: Point,
  titles: readonly string[],
): readonly CheckSpec[] {
  const all = scenario.checks.filter(({ kind }) => kind !== 'guard');
  if (titles.length > 0) {
    return titles.map((title) => {
      const found = all.find((check) => check.title === title);
      if (found) return found;
      const known = all.map((check) => check.title);
      throw new SquallError(
        `scenario ${scenario.name}: no check "${title}"${suggestionFor(title, known)}; it has ${known.join(', ')}.`,
        { code: 'unknown-check', blame: 'input' },
      );
    });
  }
  const own = all.filter(
    ({ kind, parameters }) =>
      kind === 'invariant' && ![CRASH_EVENT, MISSED_EVENT].includes(String(parameters['event'])),
  );
  const expected = own.filter(({ title, check }) =>
    scenario.expect?.some(
      (one) =>
        one.outcome === 'fail' &&
        (one.check === title || one.check === check) &&
        matchesPoint(point, one.where),
    ),
  );
  const here = own.filter(({ where }) => matchesPoint(point, where));
  const chosen = expected.length > 0 ? expected : here;
  if (chosen.length === 1 || (expected.length > 0 && chosen.length > 0)) return chosen;
  throw new SquallError(
    `scenario ${scenario.name}: ${chosen.length} checks could be the defect; expected --check TITLE.`,
    {
      code: 'which-check',
      blame: 'input',
      hint: `There are: ${own.map(({ title }) => `"${title}"`).join(', ')}.`,
    },
  );
}

/** The scenario with further overrides of its topology at every point; drawn from the same seeds as itself. */
export function withOverrides(
  scenario: ResolvedScenario,
  name: string,
  more: TopologyOverrides,
): ResolvedScenario {
  const {
    expect: _expect,
    aggregates: _aggregates,
    comparisons: _comparisons,
    gate: _gate,
    ...rest
  } = scenario;
  return {
    ...rest,
    name,
    seedAs: scenario.seedAs ?? scenario.name,
    published: [],
    overrides: (point) => merge(fillOverrides(scenario, point), more),
  };
}

function merge(own: TopologyOverrides, more: TopologyOverrides): TopologyOverrides {
  const roles = new Set([...Object.keys(own.settings ?? {}), ...Object.keys(more.settings ?? {})]);
  const settings = Object.fromEntries(
    [...roles].map((role) => [role, { ...own.settings?.[role], ...more.settings?.[role] }]),
  );
  return {
    ...own,
    ...more,
    ...(roles.size > 0 && { settings }),
    ...((own.images || more.images) && { images: { ...own.images, ...more.images } }),
  };
}
