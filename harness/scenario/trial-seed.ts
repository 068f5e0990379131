import type { Point } from '../record/index.ts';
import { pairedId } from './point-id.ts';
import type { ResolvedScenario } from './resolve-scenario.ts';

/**
 * The seed of a trial: the run's seed, the scenario, the point without its sides, and which of the point's trials it
 * is. All variants of a point so draw the same targets and the same timeline in their n-th trial, and a trial that is
 * repeated for being void draws what it would have drawn.
 */
export function trialSeed(runSeed: string, scenario: ResolvedScenario, point: Point, slot: number): string {
  return [runSeed, scenario.seedAs ?? scenario.name, pairedId(scenario.parameters, point), slot].join('/');
}
