import { SquallError } from '../errors/index.ts';
import { checkVersion } from '../image/index.ts';
import type { RunPlan } from '../scenario/index.ts';
import { checkFaults } from './check-faults.ts';

/**
 * All that a plan can be refused for before an engine is looked for: images that there are not, and faults that a bed could
 * not take.
 * @throws SquallError (input) as `checkFaults` does, and `bad-version`, `image-version-refused`, `unknown-image`
 */
export function checkPlan(plan: RunPlan): void {
  checkImages(plan);
  checkFaults(plan);
}

function checkImages({ points }: RunPlan): void {
  const seen = new Set<string>();
  for (const { scenario, topology } of points) {
    for (const { role, image } of topology.nodes) {
      if (image.kind !== 'ours') continue;
      const key = `${image.name}:${image.version ?? ''}`;
      if (seen.has(key)) continue;
      seen.add(key);
      try {
        checkVersion(image);
      } catch (error) {
        if (!(error instanceof SquallError)) throw error;
        throw new SquallError(`scenario ${scenario.name}, role ${role}: ${error.message}`, {
          code: error.code,
          blame: 'input',
          facts: error.facts,
          ...(error.hint !== undefined && { hint: error.hint }),
          cause: error.cause,
        });
      }
    }
  }
}
