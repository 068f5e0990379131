import { expect } from 'chai';
import { account, calls, HOUR_MS, network, node, PoolWorld } from './pool-world.ts';
import { rule, type Variant, variant } from './rule-test.ts';

const STRUCK = 3;

/** Node 1 had three strikes, and 48 h have passed since. */
async function recovered(one: Variant): Promise<PoolWorld> {
  const w = new PoolWorld(one);
  w.strike(1, STRUCK);
  await w.clock.leap(48 * HOUR_MS);
  w.pool.replace(network());
  return w;
}

const all = (w: PoolWorld): readonly string[] => w.pool.getUnusedNodes(24).map(({ ed25519 }) => ed25519);
const key = node(1).ed25519;

describe('strikes', () => {
  it('take a node out with the third, for 48 h', async () => {
    const w = new PoolWorld(variant('final'));
    w.strike(1, 2);
    expect(all(w)).to.include(key);
    w.strike(1, 1);
    expect(all(w)).not.to.include(key);
    await w.clock.leap(48 * HOUR_MS - 1);
    expect(w.pool.isOut(node(1))).to.equal(true);
    await w.clock.leap(1);
    expect(w.pool.isOut(node(1))).to.equal(false);
  });

  it('of one moment take a node out again with the third after its return', async () => {
    const w = await recovered(variant('final'));
    w.strike(1, 2);
    expect(w.pool.strikes.count(key)).to.equal(2);
    expect(w.pool.isOut(node(1))).to.equal(false);
    w.strike(1, 1);
    expect(w.pool.isOut(node(1))).to.equal(true);
  });

  it('far apart count for 48 h each: it is back with the first over, and out again with the next', async () => {
    for (const restarts of [false, true]) {
      const w = new PoolWorld(variant('final'));
      for (const hours of [20, 20, 0]) {
        w.strike(1, 1);
        await w.clock.leap(hours * HOUR_MS);
      }
      if (restarts) {
        w.pool.suspend();
        w.restart();
      }
      await w.clock.leap(8 * HOUR_MS - 1);
      expect(w.pool.isOut(node(1))).to.equal(true);
      await w.clock.leap(1);
      expect([w.pool.isOut(node(1)), w.pool.strikes.count(key)]).to.deep.equal([false, 2]);
      w.strike(1, 1);
      expect(w.pool.isOut(node(1))).to.equal(true);
    }
  });

  it('expire over a restart as they do in process', async () => {
    const w = new PoolWorld(variant('final'));
    w.strike(1, STRUCK);
    await w.clock.leap(47 * HOUR_MS);
    w.strike(2, STRUCK);
    w.pool.suspend();
    w.restart();
    expect([w.pool.isOut(node(1)), w.pool.isOut(node(2))]).to.deep.equal([true, true]);
    await w.clock.leap(HOUR_MS);
    expect([w.pool.isOut(node(1)), w.pool.isOut(node(2))]).to.deep.equal([false, true]);
    w.restart();
    expect(w.pool.strikes.kept(key), 'loaded').to.equal(0);
  });

  it('are saved five minutes after the first, and then not again', async () => {
    const w = new PoolWorld(variant('final'));
    w.strike(1, STRUCK);
    expect(w.saves).to.equal(0);
    await w.clock.leap(300_000);
    expect([w.saves, w.saved.get(key)?.length]).to.deep.equal([1, 3]);
    await w.clock.leap(300_000);
    expect(w.saves).to.equal(1);
  });

  it('at a threshold of 0 exclude with the first', () => {
    const w = new PoolWorld(variant('final', { strikeThreshold: 0 }));
    expect(w.pool.isOut(node(1))).to.equal(false);
    w.strike(1, 1);
    expect(w.pool.isOut(node(1))).to.equal(true);
  });

  it('leave in a small swarm the nodes with the fewest', () => {
    const w = new PoolWorld(variant('final'));
    for (const number of [1, 2, 3, 4]) w.strike(number, STRUCK + number);
    expect(w.swarmKeys()).to.deep.equal([node(1), node(5), node(6)].map(({ ed25519 }) => ed25519));
  });

  rule('expiryInCount', 'no longer count after 48 h', async (one) => {
    return (await recovered(one)).pool.strikes.count(key) === 0;
  });

  rule('expiryInUsable', 'no longer make a pool too small after 48 h', async (one) => {
    const w = new PoolWorld({ ...one, limits: { ...one.limits, cacheMinSize: 24 } });
    w.strike(1, STRUCK);
    await w.clock.leap(48 * HOUR_MS);
    w.pool.replace(network());
    await w.clock.leap(3_000);
    w.pool.refreshIfNeeded();
    return w.refreshes === 0;
  });

  rule('expiryInUnused', 'no longer keep a node out of paths after 48 h', async (one) => {
    return all(await recovered(one)).includes(key);
  });

  rule('expiryInSwarm', 'no longer keep a node out of its swarm after 48 h', async (one) => {
    return (await recovered(one)).swarmKeys().includes(key);
  });

  rule('pruneOnStrike', 'are forgotten with the next one, once they are too old', async (one) => {
    const w = new PoolWorld(one);
    for (let turn = 0; turn < 10; turn += 1) {
      w.strike(1, 1);
      await w.clock.leap(24 * HOUR_MS);
    }
    return w.pool.strikes.kept(key) <= 2;
  });

  rule('neverFailedStays', 'are what excludes: a node that never failed stays, at any threshold', (one) => {
    return all(new PoolWorld({ ...one, limits: { ...one.limits, strikeThreshold: 0 } })).length === 24;
  });

  it('were compared bare in the old client, of nodes that had failed only', () => {
    const w = new PoolWorld(variant('original', { strikeThreshold: 0 }));
    expect(all(w)).to.have.length(24);
    w.strike(1, 1);
    expect(all(w)).to.have.length(23);
  });

  rule('permanentStrikesOut', 'for a permanent failure exclude at once, at any threshold', (one) => {
    const w = new PoolWorld({ ...one, limits: { ...one.limits, strikeThreshold: 0 } });
    w.pool.strikes.strike(key, 'test', true);
    return w.pool.isOut(node(1));
  });

  rule('suspendFlushesStrikes', 'are saved at once when the pool is suspended', (one) => {
    const w = new PoolWorld(one);
    w.strike(1, 1);
    w.pool.suspend();
    return w.saved.has(key);
  });

  it('stay out for the life of the process in the old client, until a restart', async () => {
    const w = await recovered(variant('original'));
    expect(all(w)).not.to.include(key);
    w.pool.suspend();
    w.restart();
    expect(all(w)).to.include(key);
  });
});

describe('nodes for a path', () => {
  it('are of different /24s, and none of those that are excluded', () => {
    const crowded = [node(1, 1, 1), node(2, 1, 1), node(3, 1, 2), node(4, 1, 2), node(5, 1, 3)];
    const w = new PoolWorld(variant('final'), { pool: crowded });
    for (let turn = 0; turn < 20; turn += 1) {
      const nodes = w.pool.getUnusedNodes(5);
      expect(new Set(nodes.map(({ ip }) => ip.split('.')[2])).size).to.equal(3);
      expect(nodes).to.have.length(3);
    }
    expect(w.pool.getUnusedNodes(5, [node(1, 1, 1)])).to.have.length(2);
    const anywhere = variant('final', { subnetDiversity: false });
    expect(new PoolWorld(anywhere, { pool: crowded }).pool.getUnusedNodes(5)).to.have.length(5);
  });

  it('are none of an empty pool', () => {
    const w = new PoolWorld(variant('final'), { pool: [] });
    expect(w.pool.getUnusedNodes(3)).to.deep.equal([]);
    const swarm = calls<number>();
    w.list = 'failure';
    w.pool.getSwarm(account(1), ({ nodes }) => swarm.on(nodes.length));
    expect(swarm.got).to.deep.equal([]);
  });
});
