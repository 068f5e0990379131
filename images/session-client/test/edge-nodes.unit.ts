import { expect } from 'chai';
import type { EdgeNode } from '../edge-nodes.ts';
import { ERROR } from '../errors.ts';
import { edgeOf, type OnionPath } from '../onion-path.ts';
import { HOUR_MS, MINUTE_MS, network, node } from './pool-world.ts';
import { RouterWorld, sealed } from './router-world.ts';
import { rule, type Variant, variant } from './rule-test.ts';

const DAY_MS = 24 * HOUR_MS;
const single = { limits: { pathCount: 1 } };
const edge = (w: RouterWorld, number = 5): EdgeNode => ({ node: node(number), sinceMs: w.clock.wallMs() });

/** A world with node 5 as the edge of an earlier run. */
function launched(one: Variant): RouterWorld {
  const w = new RouterWorld(one, single);
  w.edges = [edge(w)];
  return w;
}

const firstHop = (paths: readonly OnionPath[]): string | undefined => paths[0] && edgeOf(paths[0]).ed25519;

describe('a cached edge node', () => {
  rule('cachedEdgeKept', 'is the first hop again after a launch and after a resume', (one) => {
    const w = launched(one);
    const router = w.onion();
    const atLaunch = firstHop(router.paths.all());
    router.suspend();
    router.suspend();
    expect(w.edges.map((edge) => edge.node.ed25519)).to.deep.equal([atLaunch]);
    router.resume();
    return [atLaunch, firstHop(router.paths.all())].every((hop) => hop === node(5).ed25519);
  });

  it('is saved when its path is built, and stays so when no path stands as the client ends', () => {
    const w = new RouterWorld(variant('final'), single);
    const router = w.onion();
    const first = firstHop(router.paths.all());
    expect(w.edges.map((one) => one.node.ed25519)).to.deep.equal([first]);
    router.closeConnections();
    router.suspend();
    expect(w.edges.map((one) => one.node.ed25519)).to.deep.equal([first]);
  });

  rule('struckEdgeLosesRole', 'loses the role when it is out', (one) => {
    const w = launched(one);
    w.strike(5, 3);
    return firstHop(w.onion().paths.all()) !== node(5).ed25519;
  });

  rule('lostRoleStaysLost', 'does not have it again when its strikes expire', async (one) => {
    const w = launched(one);
    w.strike(5, 3);
    const router = w.onion();
    router.closeConnections();
    await w.clock.leap(2 * DAY_MS);
    // Whatever else the pool gives, nobody but node 5 can have the role.
    w.pool.replace(network());
    router.suspend();
    const hops = new Set<string | undefined>();
    for (let turn = 0; turn < 5; turn += 1) {
      router.resume();
      hops.add(firstHop(router.paths.all()));
      router.suspend();
    }
    return !(hops.size === 1 && hops.has(node(5).ed25519));
  });

  it('that failed while its path stood is not kept for later, though its strikes expire before then', async () => {
    const keys = (w: RouterWorld) => w.edges.map((one) => one.node.ed25519);
    for (const [name, kept] of [
      ['final', false],
      ['struck-edge-skipped', true],
      ['original', true],
    ] as const) {
      const w = launched(variant(name));
      const router = w.onion();
      w.strike(5, 3);
      router.suspend();
      expect(keys(w).includes(node(5).ed25519), name).to.equal(kept);
      await w.clock.leap(2 * DAY_MS);
      w.pool.replace(network());
      const hops = new Set<string | undefined>();
      for (let turn = 0; turn < 5; turn += 1) {
        router.resume();
        hops.add(firstHop(router.paths.all()));
        router.suspend();
      }
      expect(hops.size === 1 && hops.has(node(5).ed25519), name).to.equal(kept);
    }
  });

  it('that loses the role in a launch without a path is not there for the next launch', () => {
    const w = launched(variant('final'));
    const other = edge(w, 6);
    w.edges = [...w.edges, other];
    w.strike(5, 3);
    w.reachable = undefined;
    const router = w.onion();
    expect(router.paths.all()).to.deep.equal([]);
    expect(w.edges).to.deep.equal([other]);
    expect(w.events('edge.dropped')).to.have.length(1);
  });

  rule('poolKeepsStruckEdge', 'stays in the pool', (one) => {
    const w = launched(one);
    w.strike(5, 3);
    w.onion();
    return w.pool.nodes.some(({ ed25519 }) => ed25519 === node(5).ed25519);
  });

  rule('edgeExpires', 'keeps the role for ten days', async (one) => {
    const w = launched(one);
    w.strike(6, 0);
    await w.clock.leap(10 * DAY_MS + 1);
    w.pool.replace(network());
    return firstHop(w.onion().paths.all()) !== node(5).ed25519;
  });
});

describe('rotation', () => {
  /** How many nodes a rotation asks for, with the edge connected just now. */
  const asked = (one: Variant, strikes: number): readonly unknown[] => {
    const w = new RouterWorld(one, single);
    const router = w.onion();
    const [path] = router.paths.all();
    if (!path) throw new Error('no path');
    for (let turn = 0; turn < strikes; turn += 1) w.pool.strikes.strike(edgeOf(path).ed25519, 'test');
    router.paths.rotate(path);
    return w.events('path.rotation-started').map((event) => event['asked']);
  };

  rule('rotationReadsStrikes', 'asks for a whole path when the edge is out', (one) => {
    return asked(one, 0).join() === '2' && asked(one, 3).join() === '3';
  });

  rule('rotationKeepsEdge', 'asks for the rest of a path when the edge is well', (one) => {
    return asked(one, 0).join() === '2';
  });

  it('replaces a path after ten minutes, keeping its edge, once the new one is verified', async () => {
    const w = new RouterWorld(variant('final'), single);
    const router = w.onion();
    const [before] = router.paths.all();
    await w.clock.leap(10 * MINUTE_MS);
    expect(router.paths.all()[0]).to.equal(before);
    w.reply(200, sealed(200, { t: 1 }));
    const [after] = router.paths.all();
    expect(after).not.to.equal(before);
    expect(after && edgeOf(after)).to.equal(before && edgeOf(before));
    expect(router.paths.all()).to.have.length(1);
  });

  it('is tried again a minute later when the new path does not answer', async () => {
    const w = new RouterWorld(variant('final'), single);
    w.onion();
    await w.clock.leap(10 * MINUTE_MS);
    await w.clock.leap(10_000);
    await w.clock.leap(MINUTE_MS);
    expect(w.events('path.rotation-started')).to.have.length(2);
  });

  it('takes another edge after ten days', async () => {
    const w = launched(variant('final'));
    w.edges = [{ node: node(5), sinceMs: w.clock.wallMs() - 10 * DAY_MS + MINUTE_MS }];
    w.onion();
    await w.clock.leap(10 * MINUTE_MS);
    expect(w.events('path.rotation-started')[0]).to.include({ keepsEdge: false, asked: 3 });
  });
});

describe('a path', () => {
  it('goes through three /24s, and not through the destination', () => {
    const w = new RouterWorld(variant('final'));
    const router = w.onion();
    for (const { nodes } of router.paths.all()) {
      expect(new Set(nodes.map(({ ip }) => ip.split('.')[2])).size).to.equal(3);
      const to = nodes[1] ?? node(1);
      w.send(router, to);
      const used = w.lastCall;
      const { relays } = JSON.parse(Buffer.from(used?.kind === 'onion' ? used.blob : '').toString()) as {
        readonly relays: readonly string[];
      };
      expect(relays).not.to.include(to.ed25519);
    }
  });

  it('is tried with another edge 200 ms after one that cannot be reached, which is struck', async () => {
    const w = new RouterWorld(variant('final'), single);
    let turn = 0;
    w.reachable = () => {
      turn += 1;
      return turn > 2;
    };
    const router = w.onion();
    await w.clock.leap(200);
    await w.clock.leap(400);
    expect(router.paths.all()).to.have.length(1);
    expect(w.events('strike.added').map((event) => event['reason'])).to.deep.equal([
      'verification',
      'verification',
    ]);
  });

  it('fails what waits for it after ten more edges, and the next request begins anew', async () => {
    const w = new RouterWorld(variant('final', { strikeThreshold: 100 }), single);
    w.reachable = () => false;
    const router = w.onion();
    const got: unknown[] = [];
    router.send(
      { id: 'r', to: node(24, 4), method: 'info', params: {}, accounts: [], retries: 0, timeoutMs: 1e9 },
      (answer) => got.push(answer),
    );
    await w.clock.leap(MINUTE_MS);
    expect(got).to.have.length(1);
    expect(got[0]).to.include({ status: ERROR.UNKNOWN });
  });

  it('answers a request that waits for it in its own time', async () => {
    const w = new RouterWorld(variant('final'), single);
    w.reachable = undefined;
    const got = w.send(w.onion());
    await w.clock.leap(10_000);
    expect(got[0]).to.include({ status: ERROR.REQUEST_TIMEOUT, timeout: true });
  });
});
