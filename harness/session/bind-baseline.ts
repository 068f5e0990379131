import { type Baseline, baselineChecks, type RelativeBound, scaleFor } from '../baseline/index.ts';
import { suggestionFor } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import type { GateConfig } from '../gate/index.ts';
import type { HostClass } from '../record/index.ts';
import type { ResolvedScenario } from '../scenario/index.ts';
import { parseRatio } from '../units/index.ts';
import type { SuiteScenarios } from './gate-units.ts';
import { readWhere } from './read-where.ts';

export interface BaselineBinding {
  readonly config: GateConfig;
  readonly baseline: Baseline | undefined;
  /** A run on this machine of what the baseline was taken of, where that was taken on another class. */
  readonly calibration?: Baseline | undefined;
  readonly host: HostClass;
  /** Where there is none, the bounds are read, so that mistakes in them are told, and left out. */
  readonly optional?: boolean;
}

/**
 * The suites with the relative bounds of a gate added to their scenarios.
 * @throws SquallError `no-baseline`, `nothing-bounded`, and what a baseline of another machine throws (input)
 */
export function bindBaseline(suiteOf: SuiteScenarios, binding: BaselineBinding): SuiteScenarios {
  const { config, baseline, calibration, host } = binding;
  const bounds = config.relative ?? [];
  if (bounds.length === 0) {
    if (!baseline) return suiteOf;
    throw new SquallError(`gate ${config.name}: a baseline is given, but no bound is relative to it.`, {
      code: 'nothing-bounded',
      blame: 'input',
      hint: 'Say in the gate what it bounds: relative: [{scenario, measure, better, atMost: 10%}].',
    });
  }
  if (!baseline && !binding.optional) {
    throw new SquallError(`gate ${config.name}: has bounds relative to a baseline, but names none.`, {
      code: 'no-baseline',
      blame: 'input',
      hint: 'Give --baseline RUN|FILE, or write baseline: NAME (or newest) into the gate.',
    });
  }
  requireScenarios(config, suiteOf);
  const scaleOf = baseline && scaleFor(baseline, host, calibration);
  const bound = new Map<ResolvedScenario, ResolvedScenario>();
  return (suite) =>
    suiteOf(suite).map((scenario) => {
      const known = bound.get(scenario) ?? withBounds(scenario);
      bound.set(scenario, known);
      return known;
    });

  function withBounds(scenario: ResolvedScenario): ResolvedScenario {
    const own = bounds
      .filter((one) => one.scenario === scenario.name && (one.suite ?? scenario.suite) === scenario.suite)
      .map((one) => readBound(one, scenario));
    if (!baseline || !scaleOf) return scenario;
    const checks = baselineChecks(scenario, own, baseline, scaleOf);
    return checks.length === 0 ? scenario : { ...scenario, checks: [...scenario.checks, ...checks] };
  }
}

/** A bound on a scenario that the gate never runs would never be broken. */
function requireScenarios({ quick, full = [], relative = [] }: GateConfig, suiteOf: SuiteScenarios): void {
  const scenarios = [...quick, ...full].flatMap((entry) => suiteOf(entry.suite));
  for (const bound of relative) {
    const found = scenarios.some(
      (one) => one.name === bound.scenario && (bound.suite ?? one.suite) === one.suite,
    );
    if (found) continue;
    throw new SquallError(
      `gate: a bound is relative to the scenario "${bound.scenario}", which no entry runs${suggestionFor(
        bound.scenario,
        scenarios.map((one) => one.name),
      )}.`,
      { code: 'unknown-scenario', blame: 'input' },
    );
  }
}

function readBound(
  { atMost, margin, where, suite, reason, ...rest }: NonNullable<GateConfig['relative']>[number],
  scenario: ResolvedScenario,
): RelativeBound {
  const known = scenario.measures.map((one) => one.name);
  if (!known.includes(rest.measure)) {
    throw new SquallError(
      `gate: scenario ${scenario.name} has no measure "${rest.measure}"${suggestionFor(rest.measure, known)}.`,
      { code: 'unknown-measure', blame: 'input' },
    );
  }
  return {
    ...rest,
    ...(suite !== undefined && { suite }),
    ...(atMost !== undefined && { marginRatio: parseRatio(atMost) }),
    ...(margin !== undefined && { margin }),
    ...(where && { where: readWhere(where, scenario) }),
    ...(reason !== undefined && { reason }),
  };
}
