import { SquallError } from '../errors/index.ts';
import type { PlannedNode } from './planned-bed.ts';

/** The node of a name, as it is now. @throws SquallError `unknown-node` */
export function requireNode<N extends PlannedNode>(
  bed: { readonly nodes: () => readonly N[] },
  name: string,
): N {
  const node = bed.nodes().find((candidate) => candidate.name === name);
  if (node) return node;
  throw new SquallError(`node ${name}: not on this bed`, { code: 'unknown-node', blame: 'input' });
}
