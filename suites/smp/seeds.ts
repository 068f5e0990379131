/** Which proxies an agent will pick, known from the trial's seed before anything runs. */
import type { Point, SeedCondition } from '../../harness/index.ts';
import { stream } from '../../harness/random/index.ts';
import { pickProxy, pickStream } from '../../images/smp-agent/index.ts';
import { APP } from './events.ts';

/** R, as agents name it in settings and events. */
export const RELAY = 'relay-1';

/** `proxy-1`, `proxy-2`, … as the topology names them. */
export function proxyNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `proxy-${index + 1}`);
}

/**
 * What an agent draws for R when each pick is forgotten after it, all proxies being candidates every time. A seed says
 * nothing of the picks of an agent that leaves the failed proxy out, except of the first.
 */
export function picksFor(seed: string, proxies: number, count: number, agent = APP): string[] {
  const chance = pickStream(stream(seed, `${agent}/proxy`), RELAY);
  const candidates = proxyNames(proxies).map((name) => ({ name, host: name }));
  return Array.from(
    { length: count },
    () => pickProxy(chance, candidates, { host: RELAY })?.picked.name ?? '',
  );
}

const proxiesOf = (point: Point): number => Number(point['proxies'] ?? 2);

/** The document's condition: trials where the first pick was P1. */
export const FIRST_PICK_P1: SeedCondition = {
  says: 'the first pick is proxy-1',
  holds: (seed, point) => picksFor(seed, proxiesOf(point), 1)[0] === 'proxy-1',
};

/**
 * The same, and one of the first `picks` picks is a good proxy, so that a row which must connect is over within its watch:
 * the point's parameter `picks` says how many are looked at; 0 leaves it to chance, and with one proxy there is no other.
 */
export const FIRST_PICK_P1_THEN_GOOD: SeedCondition = {
  says: 'the first pick is proxy-1 and a good one is among as many as the point asks for',
  holds: (seed, point) => {
    const proxies = proxiesOf(point);
    const lookedAt = Number(point['picks'] ?? 0);
    const picks = picksFor(seed, proxies, Math.max(1, lookedAt));
    const good = lookedAt === 0 || proxies === 1 || picks.some((name) => name !== 'proxy-1');
    return picks[0] === 'proxy-1' && good;
  },
};

/** Exactly these picks, in this order: what the rows about late results need. */
export function picksAre(...wanted: readonly string[]): SeedCondition {
  return {
    says: `the first picks are ${wanted.join(', ')}`,
    holds: (seed, point) =>
      picksFor(seed, proxiesOf(point), wanted.length).every((name, index) => name === wanted[index]),
  };
}
