import { suggestionFor } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import type { GateEntry, GateUnit } from '../gate/index.ts';
import { matchesPoint, type Point } from '../record/index.ts';
import {
  expandGrid,
  pairedId,
  pointId,
  type ResolvedScenario,
  requireGrid,
  type ScenarioSelection,
} from '../scenario/index.ts';
import { type KnownMutant, type MutantClaim, mutantClaims, mutationSelections } from './mutants.ts';
import { readWhere } from './read-where.ts';

/** What a gate runs or leaves out as a whole: a point with all its sides, or a mutant with its control. */
export interface PlannedUnit extends GateUnit {
  readonly wanted: readonly WantedPoint[];
  readonly claim?: MutantClaim;
}

interface WantedPoint {
  readonly scenario: ResolvedScenario;
  readonly point: Point;
  readonly trials: number;
}

/** The scenarios of the suite that an entry names, each loaded once. */
export type SuiteScenarios = (suite: string) => readonly ResolvedScenario[];

/**
 * The units of a gate's entries, in the order of the file, each once.
 * @throws SquallError `unknown-scenario`, `unknown-grid`, `unknown-parameter`, `unknown-mutant`, `nothing-selected` (input)
 */
export function gateUnits(
  entries: readonly GateEntry[],
  suiteOf: SuiteScenarios,
  mutants: readonly KnownMutant[],
): PlannedUnit[] {
  const units = new Map<string, PlannedUnit>();
  for (const [index, entry] of entries.entries()) {
    const scenarios = scenariosOf(entry, suiteOf(entry.suite));
    const found = entry.mutants
      ? mutantUnits(entry, mutantClaims(scenarios, mutants))
      : scenarios.flatMap((scenario) => pointUnits(entry, scenario));
    if (found.length === 0) throw nothing(entry, index);
    for (const unit of found) {
      const known = units.get(unit.id);
      units.set(unit.id, known ? { ...unit, must: unit.must || known.must } : unit);
    }
  }
  return [...units.values()];
}

/** The units as selections of one run: a point that several want runs once, with the most trials that any of them wants. */
export function selectionsOf(units: readonly PlannedUnit[]): ScenarioSelection[] {
  const wanted = new Map<string, WantedPoint>();
  for (const one of units.flatMap((unit) => unit.wanted)) {
    const key = wantedKey(one.scenario, one.point);
    const known = wanted.get(key);
    wanted.set(key, known && known.trials > one.trials ? known : { ...(known ?? one), trials: one.trials });
  }
  const groups = new Map<ResolvedScenario, Map<number, Point[]>>();
  for (const { scenario, point, trials } of wanted.values()) {
    const byTrials = groups.get(scenario) ?? new Map<number, Point[]>();
    byTrials.set(trials, [...(byTrials.get(trials) ?? []), point]);
    groups.set(scenario, byTrials);
  }
  return [...groups].flatMap(([scenario, byTrials]) =>
    [...byTrials].map(([trials, points]) => ({ scenario, points, trials })),
  );
}

export function wantedKey(scenario: ResolvedScenario, point: Point): string {
  return `${scenario.suite}/${scenario.name} ${JSON.stringify(Object.entries(point).sort())}`;
}

function scenariosOf(entry: GateEntry, scenarios: readonly ResolvedScenario[]): readonly ResolvedScenario[] {
  const { scenario: name, suite } = entry;
  if (name === undefined) {
    const named = entry.grid !== undefined || entry.mutants !== undefined || scenarios.length === 1;
    return scenarios.filter((one) => named || !one.onlyWhenNamed);
  }
  const found = scenarios.filter((one) => one.name === name);
  if (found.length > 0) return found;
  const names = scenarios.map((one) => one.name);
  throw new SquallError(`gate: ${suite} has no scenario "${name}"${suggestionFor(name, names)}.`, {
    code: 'unknown-scenario',
    blame: 'input',
    hint: `It has: ${names.join(', ')}.`,
  });
}

function pointUnits(entry: GateEntry, scenario: ResolvedScenario): PlannedUnit[] {
  if (entry.grid !== undefined && entry.scenario === undefined && !(entry.grid in scenario.grids)) return [];
  const grid = requireGrid(scenario, entry.grid ?? scenario.defaultGrid);
  // Of a whole suite, scenarios that lack a parameter are not meant.
  const lacks = Object.keys(entry.where ?? {}).some((name) => !(name in scenario.parameters));
  if (lacks && entry.scenario === undefined) return [];
  const where = readWhere(entry.where ?? {}, scenario);
  const trials = entry.trials ?? grid.trials ?? scenario.trials;
  const groups = new Map<string, Point[]>();
  for (const point of expandGrid(scenario, grid, {}).filter((one) => matchesPoint(one, where))) {
    const key = pairedId(scenario.parameters, point);
    groups.set(key, [...(groups.get(key) ?? []), point]);
  }
  return [...groups.values()].map((points) => ({
    id: `${scenario.suite}/${scenario.name} ${points.map((point) => pointId(scenario, point)).join(' | ')} × ${trials}`,
    must: entry.must,
    wanted: points.map((point) => ({ scenario, point, trials })),
  }));
}

function mutantUnits(entry: GateEntry, claims: readonly MutantClaim[]): PlannedUnit[] {
  const names = entry.mutants === 'all' ? undefined : entry.mutants;
  for (const name of names ?? []) {
    if (claims.some((claim) => claim.mutant === name)) continue;
    throw new SquallError(
      `gate: no scenario of ${entry.suite} claims the mutant "${name}"${suggestionFor(
        name,
        claims.map((claim) => claim.mutant),
      )}.`,
      { code: 'unknown-mutant', blame: 'input' },
    );
  }
  return claims
    .filter((claim) => names === undefined || names.includes(claim.mutant))
    .map((claim) => ({
      id: `${claim.scenario.suite}/${claim.scenario.name} mutant ${claim.mutant} × ${entry.trials ?? claim.trials}`,
      must: entry.must,
      claim,
      wanted: mutationSelections([claim], entry.trials).flatMap(({ scenario, points = [], trials = 1 }) =>
        points.map((point) => ({ scenario, point, trials })),
      ),
    }));
}

function nothing(entry: GateEntry, index: number): SquallError {
  const parts = Object.entries({
    scenario: entry.scenario,
    grid: entry.grid,
    where: entry.where,
    mutants: entry.mutants,
  })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return new SquallError(
    `gate: entry ${index + 1} (${[entry.suite, ...parts].join(', ')}) selects nothing; expected at least one point or mutant.`,
    { code: 'nothing-selected', blame: 'input', hint: 'An entry that guards nothing would never be missed.' },
  );
}
