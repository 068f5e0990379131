import { type BundleManifest, type OptionalPart, packBundle } from '../bundle/index.ts';
import { registeredChecks } from '../check/index.ts';
import type { ResolvedScenario } from '../scenario/index.ts';
import { type RunInputs, readInputs } from './run-inputs.ts';

/**
 * Packs a run so that it can be run again elsewhere.
 * @throws SquallError `run-not-found`, `no-inputs` (input): a record made by an earlier Squall does not say what it ran
 */
export async function executeBundle(
  runDir: string,
  out: string,
  without: readonly OptionalPart[],
): Promise<BundleManifest> {
  return await packBundle(runDir, out, { without, suites: suitesNeeded(readInputs(runDir)) });
}

/** Suites whose code registers a measure or a check of it, or holds steps that are code. */
function suitesNeeded({ scenarios }: RunInputs): string[] {
  const builtIn = new Set(registeredChecks());
  const needed = scenarios.filter(({ code, data }) => {
    const { measure = [], checks = [] } = data as Partial<ResolvedScenario>;
    return code.length > 0 || measure.length > 0 || checks.some(({ check }) => !builtIn.has(check));
  });
  return [
    ...new Set(
      needed.flatMap(({ suite, data }) => [suite, ...((data as Partial<ResolvedScenario>).uses ?? [])]),
    ),
  ];
}
