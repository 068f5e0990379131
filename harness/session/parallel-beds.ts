/** What the host has, and what one bed takes. */
export interface Room {
  readonly cpus: number;
  readonly freeMemoryBytes: number;
  readonly bedMemoryBytes: number;
  /** Small beds of patient systems. */
  readonly light: boolean;
  /** Highest gc_thresh3 that the host has or allows. */
  readonly neighbourLimit: number;
  /** N(N−1) for a mesh. */
  readonly bedNeighbours: number;
  /** Beds that there are subnets for. */
  readonly subnetBeds: number;
}

/**
 * Beds of 128 idle nodes take a seventh of a core each, but starting, resetting and a release take all of them for a while.
 * Measured with two such beds on two cores: releases as fast as on a bed alone (images/memberlist-node/README.md).
 */
const BEDS_PER_CPU = 1;
/** Beds of a handful of nodes that mostly wait. */
const LIGHT_BEDS_PER_CPU = 4;
/** The rest is for the engine, the harness and the host. */
const MEMORY_SHARE = 0.7;
const NEIGHBOUR_SHARE = 0.9;

/** How many beds may stand side by side, with the figure that limits it; at least one. */
export function defaultParallelBeds(room: Room): { readonly beds: number; readonly why: string } {
  const limits = [
    {
      beds: Math.floor(room.cpus * (room.light ? LIGHT_BEDS_PER_CPU : BEDS_PER_CPU)),
      why: `${room.cpus} CPUs`,
    },
    {
      beds: Math.floor((room.freeMemoryBytes * MEMORY_SHARE) / Math.max(1, room.bedMemoryBytes)),
      why: 'memory',
    },
    {
      beds: Math.floor((room.neighbourLimit * NEIGHBOUR_SHARE) / Math.max(1, room.bedNeighbours)),
      why: 'neighbour table',
    },
    { beds: room.subnetBeds, why: 'subnets' },
  ];
  const tightest = limits.reduce((least, one) => (one.beds < least.beds ? one : least));
  return { beds: Math.max(1, tightest.beds), why: tightest.why };
}
