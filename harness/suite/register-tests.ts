import { expandGrid, requireGrid, requireScenario, type ScenarioSpec } from '../scenario/index.ts';

/** Registers a scenario's checks as mocha tests; called inside the scenario's `describe`. */
export function registerTests(
  spec: ScenarioSpec,
  home: { readonly suite: string; readonly folder: string },
): void {
  const scenario = requireScenario(spec, home);
  expandGrid(scenario, requireGrid(scenario, scenario.defaultGrid), {});
}
