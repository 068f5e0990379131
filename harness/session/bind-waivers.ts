import { suggestionFor } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import type { GateConfig } from '../gate/index.ts';
import { matchesPoint, type RunRecord, type WaiverSpec } from '../record/index.ts';
import type { ResolvedScenario } from '../scenario/index.ts';
import type { SuiteScenarios } from './gate-units.ts';
import { readWhere } from './read-where.ts';
import { pointsOfScenario } from './unreached-checks.ts';

type GateWaiver = NonNullable<GateConfig['waivers']>[number];

/**
 * The suites with the gate's waivers put to their scenarios: those in force on `today` (UTC, `2026-11-30`).
 * @throws SquallError `unknown-scenario`, `unknown-check`, `unknown-parameter`, `waives-no-point` (input): a waiver of nothing is a mistake
 */
export function bindWaivers(suiteOf: SuiteScenarios, config: GateConfig, today: string): SuiteScenarios {
  const waivers = config.waivers ?? [];
  if (waivers.length === 0) return suiteOf;
  const scenarios = [...config.quick, ...(config.full ?? [])].flatMap((entry) => suiteOf(entry.suite));
  for (const waiver of waivers) {
    requireCheck(waiver, scenarios);
    requirePoint(waiver, scenarios);
  }
  const bound = new Map<ResolvedScenario, ResolvedScenario>();
  return (suite) =>
    suiteOf(suite).map((scenario) => {
      const known = bound.get(scenario) ?? withWaivers(scenario);
      bound.set(scenario, known);
      return known;
    });

  function withWaivers(scenario: ResolvedScenario): ResolvedScenario {
    const own = waivers
      .filter((one) => isOf(one, scenario) && one.until >= today)
      .map(
        ({ check, where, owner, until, reason }): WaiverSpec => ({
          check,
          ...(where && { where: readWhere(where, scenario) }),
          owner,
          until,
          reason,
        }),
      );
    return own.length === 0 ? scenario : { ...scenario, waivers: own };
  }
}

/** What a reader should know of a gate's waivers after its run: which have run out, and which were not needed. */
export function waiverNotes(config: GateConfig, run: RunRecord, today: string): string[] {
  return (config.waivers ?? []).flatMap((waiver) => {
    const name = `waiver of “${waiver.check}” in ${waiver.scenario} (${waiver.owner}, until ${waiver.until})`;
    if (waiver.until < today) return [`the ${name} has run out`];
    const judged = run.points
      .filter((point) => isOf(waiver, { suite: point.suite, name: point.scenario }))
      .flatMap((point) => point.checks.filter((check) => check.title === waiver.check));
    const unneeded = judged.length > 0 && judged.every((check) => check.verdict === 'pass' && !check.waived);
    return unneeded ? [`the ${name} was not needed: the check passes; take it out`] : [];
  });
}

function isOf({ suite, scenario }: GateWaiver, of: Pick<ResolvedScenario, 'suite' | 'name'>): boolean {
  return scenario === of.name && (suite ?? of.suite) === of.suite;
}

function requireCheck(waiver: GateWaiver, scenarios: readonly ResolvedScenario[]): void {
  const own = scenarios.filter((one) => isOf(waiver, one));
  if (own.length === 0) {
    const names = scenarios.map((one) => one.name);
    throw new SquallError(
      `gate: a waiver is for the scenario "${waiver.scenario}", which no entry runs${suggestionFor(waiver.scenario, names)}.`,
      { code: 'unknown-scenario', blame: 'input' },
    );
  }
  const titles = own.flatMap((one) => one.checks.map((check) => check.title));
  if (titles.includes(waiver.check)) return;
  throw new SquallError(
    `gate: a waiver is for the check "${waiver.check}", which ${waiver.scenario} does not have${suggestionFor(waiver.check, titles)}.`,
    { code: 'unknown-check', blame: 'input' },
  );
}

/** Where the waiver is for some points only, its check must be judged at one of them, in one of the scenario's grids. */
function requirePoint(waiver: GateWaiver, scenarios: readonly ResolvedScenario[]): void {
  const { where, check: title } = waiver;
  if (where === undefined) return;
  const reaches = scenarios
    .filter((one) => isOf(waiver, one))
    .some((scenario) => {
      const wanted = readWhere(where, scenario);
      const points = pointsOfScenario(scenario).filter((point) => matchesPoint(point, wanted));
      const checks = scenario.checks.filter((check) => check.title === title);
      return points.some((point) => checks.some((check) => matchesPoint(point, check.where)));
    });
  if (reaches) return;
  throw new SquallError(
    `gate: a waiver of “${title}” is for ${waiver.scenario} where ${JSON.stringify(where)}, and no point of it that the check is judged at is so.`,
    { code: 'waives-no-point', blame: 'input', hint: 'Mend its "where", or take the waiver out.' },
  );
}
