import { SquallError } from '../errors/index.ts';
import type { Point } from '../record/index.ts';
import type { ResolvedScenario } from './resolve-scenario.ts';
import { fillTemplate } from './template.ts';
import type { BedUse } from './types.ts';

/**
 * Whether the trials of a point share a bed: as the scenario says, or the parameter that it names.
 * @throws SquallError `unknown-bed-use` (input)
 */
export function bedUseOf(scenario: ResolvedScenario, point: Point): BedUse {
  const use: string = fillTemplate(scenario.bed, scenario.parameters, point);
  if (use === 'reuse' || use === 'fresh') return use;
  throw new SquallError(`${scenario.name}: bed is "${use}" at this point; expected reuse or fresh.`, {
    code: 'unknown-bed-use',
    blame: 'input',
  });
}
