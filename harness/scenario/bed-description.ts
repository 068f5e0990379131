import type { ResolvedTopology } from '../topology/index.ts';
import type { TrialBed } from './ports.ts';

/** A topology may link everybody with everybody; a picture of so many lines says nothing, and the record stays small. */
const LINKS_LIMIT = 500;

/** What a bed is made of, for those who watch a run from its record: the fields of the event `bed.described`. */
export interface BedDescription extends Readonly<Record<string, unknown>> {
  readonly bedId: string;
  readonly topology: string;
  readonly nodes: readonly {
    readonly name: string;
    readonly role: string;
    readonly image: string;
    readonly variant?: string;
    readonly address: string;
  }[];
  /** Ends as names of nodes. */
  readonly links: readonly {
    readonly name: string;
    readonly from: readonly string[];
    readonly to: readonly string[];
    readonly port: number;
    readonly protocol: string;
  }[];
}

export function describeBed(
  bed: Pick<TrialBed, 'id' | 'nodes' | 'nodeRecords' | 'select'>,
  topology: ResolvedTopology,
  seed: string,
): BedDescription {
  return {
    bedId: bed.id,
    topology: topology.name,
    nodes: bed.nodeRecords().map(({ name, role, image, variant, address }) => ({
      name,
      role,
      image,
      ...(variant !== undefined && { variant }),
      address,
    })),
    links: topology.links.slice(0, LINKS_LIMIT).map(({ name, from, to, port, protocol }) => ({
      name,
      from: bed.select(from, seed),
      to: bed.select(to, seed),
      port,
      protocol,
    })),
  };
}
