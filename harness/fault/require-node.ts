import { SquallError } from '../errors/index.ts';
import type { FaultBedPort, FaultNode } from './fault-bed-port.ts';

/** The node of a name, as it is now. @throws SquallError `unknown-node` */
export function requireNode(bed: Pick<FaultBedPort, 'nodes'>, name: string): FaultNode {
  const node = bed.nodes().find((candidate) => candidate.name === name);
  if (node) return node;
  throw new SquallError(`node ${name}: not on this bed`, { code: 'unknown-node', blame: 'input' });
}
