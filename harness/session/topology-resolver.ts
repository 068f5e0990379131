import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SquallError } from '../errors/index.ts';
import { readImages } from '../image/index.ts';
import type { Point } from '../record/index.ts';
import { fillOverrides, placeTextIn, type ResolvedScenario } from '../scenario/index.ts';
import { type ResolvedTopology, resolveTopology } from '../topology/index.ts';

const PACKAGE_DIR = fileURLToPath(new URL('../../', import.meta.url));

export type TopologyResolver = (
  scenario: ResolvedScenario,
  point: Point,
  how: { readonly warp: number; readonly seed?: string },
) => ResolvedTopology;

/** Resolves the topology of any point of any scenario, against the images that this project has. */
export function topologyResolver(options: { readonly cwd?: string }): TopologyResolver {
  const images = readImages();
  const seen = new Map<string, ResolvedTopology>();
  return (scenario, point, { warp, seed }) => {
    const file = topologyFile(scenario, options.cwd ?? process.cwd());
    const overrides = {
      ...fillOverrides(scenario, point),
      warp,
      ...(seed !== undefined && { seed }),
    };
    const key = `${file} ${JSON.stringify(overrides)}`;
    const known = seen.get(key);
    if (known) return known;
    const topology = resolveFor(scenario, () => resolveTopology(file, overrides, { images }));
    // Points have few topologies; trials have one each, which nobody asks for again.
    if (seed === undefined) seen.set(key, topology);
    return topology;
  };
}

/** What a scenario overrides is written there, and not in the topology. */
function resolveFor(scenario: ResolvedScenario, resolve: () => ResolvedTopology): ResolvedTopology {
  try {
    return resolve();
  } catch (error) {
    const place = placeTextIn(scenario, ['overrides']);
    if (!(error instanceof SquallError) || !place || !/^ {2}\S+ overrides\b/m.test(error.message))
      throw error;
    throw new SquallError(`${error.message}\n  ${place} overrides: written there`, {
      code: error.code,
      blame: error.blame,
      facts: error.facts,
      cause: error,
    });
  }
}

/** The file that a scenario's `topology` names. @throws SquallError `topology-not-found` (input) */
export function topologyFile(scenario: ResolvedScenario, cwd: string): string {
  const { topology, folder } = scenario;
  const roots = [
    ...(folder === undefined ? [] : [folder]),
    join(cwd, 'topologies'),
    cwd,
    join(PACKAGE_DIR, 'topologies'),
  ];
  const candidates = roots.flatMap((root) => [join(root, topology), join(root, `${topology}.yaml`)]);
  const found = candidates.find((path) => /\.ya?ml$/.test(path) && existsSync(path));
  if (found !== undefined) return found;
  const place = placeTextIn(scenario, ['topology']);
  const where = place ? ` (${place})` : '';
  throw new SquallError(
    `scenario ${scenario.suite}/${scenario.name}${where}: its topology "${topology}" was not found; expected a file of the suite or a name under topologies/.`,
    { code: 'topology-not-found', blame: 'input', facts: { candidates } },
  );
}
