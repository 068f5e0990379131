import { SquallError } from '../../errors/index.ts';
import type { FaultBedPort } from '../fault-bed-port.ts';

/** What packet faults need of a bed. */
export type PacketBed = Pick<FaultBedPort, 'agent' | 'nodes'>;

/** Addresses of peers by name. @throws SquallError `unknown-node` */
export function addressLookup(bed: PacketBed): (name: string) => string {
  const byName = new Map(bed.nodes().map((node) => [node.name, node.address]));
  return (name) => {
    const address = byName.get(name);
    if (address !== undefined) return address;
    throw new SquallError(`node ${name}: not on this bed`, { code: 'unknown-node', blame: 'input' });
  };
}
