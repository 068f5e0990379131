import type { RedirectRule } from '../agent/protocol.ts';
import type { ToxicBody } from './toxic-attributes.ts';
import type { ProxyState, ToxiproxyServer } from './toxiproxy-server.ts';

/** One source's connections to one port of one peer, led through a proxy of their own. */
export interface Route {
  readonly source: string;
  readonly peer: string;
  readonly peerAddress: string;
  readonly port: number;
  readonly proxyName: string;
  readonly listenPort: number;
}

/** Where connections of the route lead as long as nobody stands in. */
export function homeOf({ peerAddress, port }: Route): string {
  return `${peerAddress}:${port}`;
}

/** Counts every byte of a link and loses none while its `bytes` is negative; with a number it is the black hole itself. */
export const COUNT_ONLY = -1;
export const COUNTERS = { upstream: 'count-upstream', downstream: 'count-downstream' } as const;

/** First in the chain, so that they see what later toxics lose. */
export const COUNTING_TOXICS: readonly ToxicBody[] = (['upstream', 'downstream'] as const).map((stream) => ({
  name: COUNTERS[stream],
  type: 'hole_after',
  stream,
  toxicity: 1,
  attributes: { bytes: COUNT_ONLY },
}));

export function redirectRule(route: Route, server: ToxiproxyServer): RedirectRule {
  return {
    node: route.source,
    dstIp: route.peerAddress,
    dstPort: route.port,
    protocol: 'tcp',
    toIp: server.address,
    toPort: route.listenPort,
  };
}

/** What the counting toxics of a proxy saw, in bytes and connections; empty where the server has no such toxic. */
export function countsOf(proxy: ProxyState | undefined): Readonly<Record<string, number>> {
  const counters = (proxy?.toxics ?? []).filter((toxic) =>
    Object.values<string>(COUNTERS).includes(toxic.name),
  );
  if (counters.length === 0) return {};
  const sum = (attribute: string) =>
    counters.reduce((total, { attributes }) => total + Number(attributes[attribute] ?? 0), 0);
  const swallowedBytes = sum('swallowedBytes');
  return { crossedBytes: sum('passedBytes') + swallowedBytes, swallowedBytes };
}
