import { type Problem, type ProblemPath, requireNoProblems, suggestionFor } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import type { ParameterValue, Point, WaiverSpec } from '../record/index.ts';
import { parseDurationMs } from '../units/index.ts';
import { defaultPoint, readParameter } from './parameter.ts';
import { RESERVED_OPTIONS } from './reserved-options.ts';
import { withStandingChecks } from './standing-checks.ts';
import { checkSteps } from './step-problems.ts';
import { placeholdersIn } from './template.ts';
import type { ParameterSpec, ScenarioSpec } from './types.ts';

/** A scenario after validation: durations of points and clauses in ms, and it knows where it comes from. */
export interface ResolvedScenario extends ScenarioSpec {
  readonly suite: string;
  /** Folder against which the topology is found. */
  readonly folder: string | undefined;
  /** Name under which seeds are drawn, for a scenario made from another one: both then draw the same targets. */
  readonly seedAs?: string;
  /** A trial that goes beyond its time budget is an answer, as of a mutant. */
  readonly mayHang?: boolean;
  /** Failures that somebody answers for, in force on the day of planning. */
  readonly waivers?: readonly WaiverSpec[];
}

type Where = Readonly<Record<string, ParameterValue | readonly ParameterValue[]>>;

/**
 * Everything that is wrong with a scenario, by path; nothing is thrown.
 * `scenario` is then the scenario with the values that were right.
 * @param home `writtenByHand`: a number for a duration is refused, since a reader could take it for either unit
 */
export function resolveScenario(
  spec: ScenarioSpec,
  home: {
    readonly suite: string;
    readonly folder?: string | undefined;
    readonly writtenByHand?: boolean;
  },
): { readonly scenario: ResolvedScenario; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const report = (path: ProblemPath, message: string): void => void problems.push({ path, message });
  const { parameters } = spec;
  const names = Object.keys(parameters);

  if (!/^[a-z][a-z0-9-]*$/.test(spec.name)) report(['name'], `"${spec.name}" is no kebab-case name`);
  if (!Number.isInteger(spec.trials) || spec.trials < 1) report(['trials'], 'expected a whole number from 1');
  const read = (name: string, parameter: ParameterSpec, raw: ParameterValue): ParameterValue =>
    readParameter(name, parameter, home.writtenByHand && raw !== 0 ? String(raw) : raw);
  checkParameters(parameters, read, report);

  const readValue = (path: ProblemPath, name: string, raw: ParameterValue): ParameterValue => {
    const parameter = parameters[name];
    // A published figure may belong to one speed only, and two may be compared; the warp is the run's, no parameter of the scenario.
    if (name === 'warp' && path[0] === 'published') return raw;
    if (name === 'warp' && path[0] === 'comparisons') return readWarp(path, raw);
    if (!parameter) {
      report(path, `unknown parameter${suggestionFor(name, names)}`);
      return raw;
    }
    return attempt(path, report, () => read(name, parameter, raw)) ?? raw;
  };
  const isKnown = (name: string): boolean => name in parameters || name === 'warp';
  const readWarp = (path: ProblemPath, raw: ParameterValue): ParameterValue => {
    const ceiling = spec.warp?.ceiling ?? 1;
    if (typeof raw !== 'number' || !(raw >= 1 && raw <= ceiling)) {
      report(path, `warp ${raw} is not one that the scenario allows; expected a factor from 1 to ${ceiling}`);
    }
    return raw;
  };
  const readPoint = (path: ProblemPath, point: Point): Point =>
    mapEntries(point, (name, value) => readValue([...path, name], name, value));
  const readClause = <K extends 'where' | 'when' | 'less', T extends { readonly [key in K]?: Where }>(
    path: ProblemPath,
    key: K,
    holder: T,
  ): T => {
    const clause = holder[key];
    if (clause === undefined) return holder;
    const read = mapEntries(clause, (name, value) =>
      Array.isArray(value)
        ? value.map((one: ParameterValue) => readValue([...path, key, name], name, one))
        : readValue([...path, key, name], name, value as ParameterValue),
    );
    return { ...holder, [key]: read };
  };
  const readWhere = <T extends { readonly where?: Where }>(path: ProblemPath, clause: T): T =>
    readClause(path, 'where', clause);

  if (!(spec.defaultGrid in spec.grids)) {
    report(
      ['defaultGrid'],
      `no grid "${spec.defaultGrid}"${suggestionFor(spec.defaultGrid, Object.keys(spec.grids))}`,
    );
  }
  const grids = mapEntries(spec.grids, (gridName, grid) => ({
    ...grid,
    axes: mapEntries(grid.axes, (name, values) => {
      if (values.length === 0) report(['grids', gridName, 'axes', name], 'the axis has no value');
      return values.map((value, index) => readValue(['grids', gridName, 'axes', name, index], name, value));
    }),
    ...(grid.points && {
      points: grid.points.map((point, index) => readPoint(['grids', gridName, 'points', index], point)),
    }),
  }));

  checkChecks(spec, report);
  checkGate(spec.gate, report);
  checkComparisons(spec.comparisons, report);
  checkDuration(['timeBudget'], spec.timeBudget, report);
  checkDuration(['shortestTimeout'], spec.shortestTimeout, report);
  if (spec.warp && !(spec.warp.ceiling >= 1)) report(['warp', 'ceiling'], 'expected a factor from 1');
  for (const name of new Set(placeholdersIn([spec.phases, spec.overrides, spec.topology, spec.bed]))) {
    if (!names.includes(name)) report(['phases'], `\${${name}} is no parameter${suggestionFor(name, names)}`);
  }
  const usable = names.every(
    (name) => !problems.some(({ path }) => path[0] === 'parameters' && path[1] === name),
  );
  if (usable) checkSteps(spec, defaultPoint(parameters), report);

  const scenario: ResolvedScenario = {
    ...spec,
    suite: home.suite,
    folder: home.folder,
    grids,
    phases: spec.phases.map((phase, phaseIndex) => ({
      ...phase,
      steps: phase.steps.map((step, index) =>
        readClause(['phases', phaseIndex, 'steps', index], 'when', step),
      ),
    })),
    checks: withStandingChecks(spec.checks.map((check, index) => readWhere(['checks', index], check))),
    ...(spec.expect && { expect: spec.expect.map((one, index) => readWhere(['expect', index], one)) }),
    ...(spec.published && {
      published: spec.published.map((one, index) => readWhere(['published', index], one)),
    }),
    ...(spec.aggregates && {
      aggregates: spec.aggregates.map((one, index) =>
        readClause(['aggregates', index], 'less', readWhere(['aggregates', index], one)),
      ),
    }),
    ...(spec.comparisons && {
      comparisons: spec.comparisons.map((one, index) => {
        const side = (name: 'baseline' | 'candidate') =>
          readValue(
            ['comparisons', index, isKnown(one.parameter) ? name : 'parameter'],
            one.parameter,
            one[name],
          );
        return {
          ...readWhere(['comparisons', index], one),
          baseline: side('baseline'),
          candidate: side('candidate'),
        };
      }),
    }),
    ...(spec.kills && {
      kills: spec.kills.map((kill, index) =>
        kill.point ? { ...kill, point: readPoint(['kills', index, 'point'], kill.point) } : kill,
      ),
    }),
    ...(spec.gate && { gate: { ...spec.gate, point: readPoint(['gate', 'point'], spec.gate.point) } }),
  };
  return { scenario, problems };
}

/** The same for a scenario written in TypeScript: throws all problems as one. @throws SquallError `invalid-document` */
export function requireScenario(
  spec: ScenarioSpec,
  home: { readonly suite: string; readonly folder?: string | undefined },
): ResolvedScenario {
  const { scenario, problems } = resolveScenario(spec, home);
  requireNoProblems('scenario', `${home.suite}/${spec.name}`, problems);
  return scenario;
}

type Report = (path: ProblemPath, message: string) => void;

/** A bound on the rank test says something only of sides that are to be the same. */
function checkComparisons(comparisons: ScenarioSpec['comparisons'], report: Report): void {
  for (const [index, { primary, noMore = [], secondary = [] }] of (comparisons ?? []).entries()) {
    const measures = [
      { path: ['primary'], measure: primary },
      ...noMore.map((measure, at) => ({ path: ['noMore', at], measure })),
      ...secondary.map((measure, at) => ({ path: ['secondary', at], measure })),
    ];
    for (const { path, measure } of measures) {
      if (measure.rankBelow === undefined || measure.better === 'same') continue;
      report(
        ['comparisons', index, ...path, 'rankBelow'],
        `goes with better: same only, and here it is ${measure.better}`,
      );
    }
  }
}

function checkParameters(
  parameters: Readonly<Record<string, ParameterSpec>>,
  read: typeof readParameter,
  report: Report,
): void {
  for (const [name, spec] of Object.entries(parameters)) {
    const path = ['parameters', name];
    if (!/^[a-z][a-zA-Z0-9-]*$/.test(name)) report(path, 'expected a name of letters, digits and dashes');
    if (RESERVED_OPTIONS.includes(name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))) {
      report(path, `--${name} is an option of the command line itself; expected another name`);
    }
    if (spec.type === 'choice' && !spec.choices?.length) report(path, 'a choice needs its choices');
    attempt([...path, 'default'], report, () => read(name, spec, spec.default));
  }
}

function checkChecks(spec: ScenarioSpec, report: Report): void {
  const titles = new Set<string>();
  for (const [index, check] of spec.checks.entries()) {
    if (titles.has(check.title)) report(['checks', index, 'title'], `"${check.title}" stands twice`);
    titles.add(check.title);
  }
  if (spec.checks.length === 0) report(['checks'], 'no check: nothing could ever fail');
  const known = [...titles, ...spec.checks.map((check) => check.check)];
  for (const [index, expectation] of (spec.expect ?? []).entries()) {
    if (!known.includes(expectation.check)) {
      report(
        ['expect', index, 'check'],
        `no check "${expectation.check}"${suggestionFor(expectation.check, known)}`,
      );
    }
  }
}

function checkGate(gate: ScenarioSpec['gate'], report: Report): void {
  if (!gate) return;
  const { shown, trials } = gate.power;
  const whole = Number.isInteger(shown) && Number.isInteger(trials);
  if (!whole || shown < 0 || trials < 1 || shown > trials) {
    report(
      ['gate', 'power'],
      `${shown} of ${trials} is no count; expected whole numbers, 0 ≤ shown ≤ trials`,
    );
  }
}

function checkDuration(path: ProblemPath, text: string | undefined, report: Report): void {
  if (text !== undefined) attempt(path, report, () => parseDurationMs(text));
}

function attempt<T>(path: ProblemPath, report: Report, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SquallError)) throw error;
    report(path, `${error.message}${error.hint ? ` ${error.hint}` : ''}`);
    return undefined;
  }
}

function mapEntries<T, R>(
  record: Readonly<Record<string, T>>,
  change: (name: string, value: T) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(name, value)]));
}
