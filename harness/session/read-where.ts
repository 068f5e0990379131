import { suggestionFor } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import type { ParameterValue, PointFilter } from '../record/index.ts';
import { type ResolvedScenario, readParameter } from '../scenario/index.ts';

/**
 * A filter as people write it, its durations as texts, as a point's values are kept.
 * @throws SquallError `unknown-parameter`, `bad-parameter` (input)
 */
export function readWhere(where: PointFilter, scenario: ResolvedScenario): PointFilter {
  return Object.fromEntries(
    Object.entries(where).map(([name, value]) => {
      const spec = scenario.parameters[name];
      if (!spec) {
        throw new SquallError(
          `gate: scenario ${scenario.name} has no parameter "${name}"${suggestionFor(name, Object.keys(scenario.parameters))}.`,
          { code: 'unknown-parameter', blame: 'input' },
        );
      }
      const read = (one: ParameterValue) => readParameter(name, spec, one);
      return [name, Array.isArray(value) ? value.map(read) : read(value as ParameterValue)];
    }),
  );
}
