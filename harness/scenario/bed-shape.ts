import { createHash } from 'node:crypto';
import type { ResolvedTopology } from '../topology/index.ts';

/**
 * What two trials must have in common to run on one bed: everything but what a reset can change, which is the variant
 * and the environment of our own images.
 */
export function bedShape(topology: ResolvedTopology): string {
  const known = shapes.get(topology);
  if (known !== undefined) return known;
  const shape = shapeOf(topology);
  shapes.set(topology, shape);
  return shape;
}

/** Many points have one topology, and one plan often follows another. */
const shapes = new WeakMap<ResolvedTopology, string>();

function shapeOf(topology: ResolvedTopology): string {
  const nodes = topology.nodes.map(({ environment, image, ...node }) =>
    image.kind === 'ours'
      ? { ...node, image: { kind: image.kind, name: image.name, version: image.version } }
      : { ...node, image, environment },
  );
  const { links, networks, bedPrefix, mesh, name } = topology;
  return createHash('sha256')
    .update(JSON.stringify({ name, nodes, links, networks, bedPrefix, mesh }))
    .digest('hex')
    .slice(0, 16);
}
