import { SquallError } from '../errors/index.ts';
import type { Point } from '../record/index.ts';
import { pairedId, pairedPoint } from './point-id.ts';
import type { ResolvedScenario } from './resolve-scenario.ts';

/** A condition that this many seeds in a row do not fulfil is taken for one that none does. */
const SEEDS_TRIED = 1_000;

/**
 * The seed of a trial: the run's seed, the scenario, the point without its sides, and which of the point's trials it
 * is. All variants of a point so draw the same targets and the same timeline in their n-th trial, and a trial that is
 * repeated for being void draws what it would have drawn. Where the scenario asks something of its seeds, the first one
 * that fulfils it is taken, of the seed and its followers `…/2`, `…/3`, and so on.
 * @throws SquallError `no-fitting-seed` (input)
 */
export function trialSeed(runSeed: string, scenario: ResolvedScenario, point: Point, slot: number): string {
  const { name, seedAs, seedWhere, parameters } = scenario;
  const first = [runSeed, seedAs ?? name, pairedId(parameters, point), slot].join('/');
  if (!seedWhere) return first;
  const known = pairedPoint(parameters, point);
  for (let turn = 1; turn <= SEEDS_TRIED; turn += 1) {
    const seed = turn === 1 ? first : `${first}/${turn}`;
    if (seedWhere.holds(seed, known)) return seed;
  }
  throw new SquallError(
    `scenario ${name}: of ${SEEDS_TRIED} seeds from "${first}" none is one where ${seedWhere.says}; expected at least one.`,
    { code: 'no-fitting-seed', blame: 'input', facts: { seed: first, point: known } },
  );
}
