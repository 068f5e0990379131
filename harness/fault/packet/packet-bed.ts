import { SquallError } from '../../errors/index.ts';
import type { FaultBedPort } from '../fault-bed-port.ts';

/** What packet faults need of a bed. */
export type PacketBed = Pick<FaultBedPort, 'agent' | 'nodes'>;

/** Addresses of peers by name, those of a fleet of clients included. @throws SquallError `unknown-node` */
export function addressLookup(bed: PacketBed): (name: string) => readonly string[] {
  const byName = new Map(
    bed.nodes().map((node) => [node.name, [node.address, ...(node.fleetAddresses ?? [])]]),
  );
  return (name) => {
    const addresses = byName.get(name);
    if (addresses !== undefined) return addresses;
    throw new SquallError(`node ${name}: not on this bed`, { code: 'unknown-node', blame: 'input' });
  };
}
