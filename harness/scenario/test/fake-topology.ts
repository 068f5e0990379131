import type { ResolvedNode, ResolvedTopology, TopologyOverrides } from '../../topology/index.ts';

/** A topology of `count` members, as if resolved from a file. */
export function fakeTopology(overrides: TopologyOverrides = {}): ResolvedTopology {
  const count = overrides.counts?.['member'] ?? 4;
  const variant = typeof overrides.variant === 'string' ? overrides.variant : 'shipped';
  return {
    name: 'fake',
    description: 'members that only talk when told to',
    nodes: Array.from(
      { length: count },
      (_, index): ResolvedNode => ({
        name: `member-${index + 1}`,
        role: 'member',
        index: index + 1,
        image: { kind: 'ours', name: 'fake-node', variant },
        environment: { SQUALL_VARIANT: variant, SQUALL_SEED: overrides.seed ?? '' },
        labels: {},
        network: 'bed',
        hostIndex: 10 + index,
        slash24: 0,
        fleet: [],
        ports: {},
        adminPort: 7100,
        resources: {},
        readiness: { kind: 'event', event: 'ready', timeoutMs: 1_000 },
        adapters: [],
        after: [],
      }),
    ),
    links: [],
    networks: [{ name: 'bed', ipv6: false }],
    bedPrefix: 20,
    mesh: true,
  };
}
