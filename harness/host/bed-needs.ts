import type { HostNeeds } from './limits.ts';

/**
 * Packets that a release may let go at once, a node of the bed. Measured with 128 nodes of memberlist, 32 of them held for
 * 40 s: 9,500 packets in 25 ms, of which the kernel's default queue of 1,000 lost up to 545.
 */
const BURST_PACKETS_PER_NODE = 512;

/** What a bed needs of its host. In a mesh every node talks to every other: entries and flows grow with the square. */
export function bedNeeds({ nodes, mesh }: { readonly nodes: number; readonly mesh: boolean }): HostNeeds {
  const pairs = nodes * (nodes - 1);
  return {
    // The agent's is followed as well.
    followedLogs: nodes + 1,
    burstPackets: nodes * BURST_PACKETS_PER_NODE,
    ...(mesh ? { neighbourEntries: pairs, trackedFlows: 2 * pairs } : {}),
  };
}

const REFERENCE_NODES = 128;

/** The largest bed of the reference suites, which limits are measured against: what it raises when it starts. */
export const REFERENCE_BED = {
  nodes: REFERENCE_NODES,
  ...bedNeeds({ nodes: REFERENCE_NODES, mesh: true }),
} as const;
