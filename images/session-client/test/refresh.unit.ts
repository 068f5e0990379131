import { expect } from 'chai';
import { account, calls, HOUR_MS, MINUTE_MS, network, node, PoolWorld } from './pool-world.ts';
import { rule, type Variant, variant } from './rule-test.ts';

const keysOf = (w: PoolWorld): readonly string[] => w.pool.nodes.map(({ ed25519 }) => ed25519).sort();

/** An empty pool, whose only sources are its three seeds, which all fail. */
function failing(one: Variant): PoolWorld {
  const w = new PoolWorld(one, { pool: [] });
  w.list = 'failure';
  return w;
}

/** A pool with a refresh under way that a test answers. */
async function refreshing(one: Variant): Promise<PoolWorld> {
  const w = new PoolWorld(one);
  await w.clock.leap(3 * HOUR_MS);
  w.list = undefined;
  return w;
}

describe('a refresh', () => {
  it('asks three nodes of the pool, and keeps what two of them name', async () => {
    const w = await refreshing(variant('final'));
    const done = calls<boolean>();
    w.pool.refreshIfNeeded([], done.on);
    expect(w.fetches.map(({ from }) => from.swarmId > 0n)).to.deep.equal([true, true, true]);
    const [a, b, c] = w.fetches.splice(0);
    a?.onResult({ ok: true, nodes: network(), bytes: 1_224 });
    b?.onResult({ ok: true, nodes: network().slice(0, 20), bytes: 1_020 });
    expect(done.got).to.deep.equal([]);
    c?.onResult({ ok: true, nodes: [...network().slice(0, 18), node(99)], bytes: 969 });
    expect(done.got).to.deep.equal([true]);
    expect(keysOf(w)).to.deep.equal(
      network()
        .slice(0, 20)
        .map(({ ed25519 }) => ed25519),
    );
    expect(w.events('refresh.finished')[0]).to.include({ outcome: 'replaced', bytes: 3_213, requests: 3 });
  });

  it('asks one seed while the pool is too small to be asked', () => {
    const w = new PoolWorld(variant('final'), { pool: [] });
    w.list = undefined;
    w.pool.refreshIfNeeded();
    expect(w.fetches.map(({ from }) => from.swarmId)).to.deep.equal([0n]);
  });

  it('runs once at a time, and answers all who wait', async () => {
    const w = await refreshing(variant('final'));
    const done = calls<boolean>();
    for (let turn = 0; turn < 3; turn += 1) w.pool.refreshIfNeeded([], done.on);
    expect(w.refreshes).to.equal(1);
    w.answerFetches(network());
    expect(done.got).to.deep.equal([true, true, true]);
  });

  it('asks the next candidate when one fails, 200 ms, 400 ms … 5 s later', async () => {
    const w = await refreshing(variant('final'));
    w.list = 'failure';
    w.pool.refreshIfNeeded();
    await w.clock.leap(10 * MINUTE_MS);
    const delays = w.events('refresh.retried').map((event) => event['delayMs']);
    expect(delays.slice(0, 6)).to.deep.equal([200, 400, 800, 1_600, 3_200, 5_000]);
    expect(Math.max(...(delays as number[]))).to.equal(5_000);
  });

  it('leaves two seconds between itself and the one before', async () => {
    const w = new PoolWorld(variant('final', { cacheMinSize: 100 }));
    await w.clock.leap(500);
    w.pool.refreshIfNeeded();
    expect(w.refreshes).to.equal(0);
    await w.clock.leap(1_499);
    expect(w.refreshes).to.equal(0);
    await w.clock.leap(1);
    expect(w.refreshes).to.equal(1);
  });

  it('is needed for its age, for an empty pool, and for too few usable nodes', async () => {
    const w = new PoolWorld(variant('final'));
    await w.clock.leap(2 * HOUR_MS);
    w.pool.refreshIfNeeded();
    expect(w.refreshes).to.equal(0);
    await w.clock.leap(1);
    w.pool.refreshIfNeeded();
    await w.clock.leap(3_000);
    for (let number = 1; number <= 13; number += 1) w.strike(number, 3);
    w.pool.refreshIfNeeded();
    await w.clock.leap(3_000);
    w.pool.refreshIfNeeded(network().slice(0, 14));
    const reasons = w.events('refresh.started').map((event) => event['reason']);
    expect(reasons).to.deep.equal(['age', 'usable', 'usable']);
  });

  it('begins anew after every candidate failed, and ends well when they come back', async () => {
    const w = failing(variant('final'));
    w.pool.refreshIfNeeded();
    await w.clock.leap(MINUTE_MS);
    expect(w.events('refresh.finished').length).to.be.above(1);
    w.list = network();
    await w.clock.leap(MINUTE_MS);
    expect(w.pool.size).to.equal(24);
  });

  rule('presenceThreshold', 'takes no node from one answer alone', async (one) => {
    const w = await refreshing(one);
    w.pool.refreshIfNeeded();
    const [a, b, c] = w.fetches.splice(0);
    a?.onResult({ ok: true, nodes: network(), bytes: 0 });
    b?.onResult({ ok: true, nodes: network(), bytes: 0 });
    c?.onResult({ ok: true, nodes: [...network(), node(99)], bytes: 0 });
    return w.pool.size === 24;
  });

  rule('minimumPoolSize', 'keeps the pool it has when the answers give too small a one', async (one) => {
    const w = await refreshing(one);
    w.pool.refreshIfNeeded();
    w.answerFetches(network().slice(0, 11));
    return w.pool.size === 24 && w.pool.state()['refreshing'] !== null;
  });
});

describe('what a refresh answers', () => {
  rule('noneNeededIsTrue', 'is true at once and inline when none was needed', (one) => {
    const done = calls<boolean>();
    new PoolWorld(one).pool.refreshIfNeeded([], done.on);
    return done.got.join() === 'true';
  });

  rule('waitersTakenFirst', 'comes once, however many refreshes end after it', async (one) => {
    const w = failing(one);
    const done = calls<boolean>();
    w.pool.refreshIfNeeded([], done.on);
    await w.clock.leap(MINUTE_MS);
    expect(w.events('refresh.finished').length).to.be.above(1);
    return done.got.join() === 'false';
  });

  rule('answerSuspended', 'is false while the pool is suspended, once', async (one) => {
    const w = await refreshing(one);
    w.pool.suspend();
    const done = calls<boolean>();
    w.pool.refreshIfNeeded([], done.on);
    await w.clock.leap(MINUTE_MS);
    return done.got.join() === 'false';
  });

  rule('answerNoCandidates', 'is false without anybody to ask, once', async (one) => {
    const w = failing(one);
    w.seeds.splice(0);
    const done = calls<boolean>();
    w.pool.refreshIfNeeded([], done.on);
    await w.clock.leap(MINUTE_MS);
    return done.got.join() === 'false';
  });

  rule('answerNoFetcher', 'is false without a fetcher, once', async (one) => {
    const w = new PoolWorld(one, { pool: [], fetcher: false });
    const done = calls<boolean>();
    w.pool.refreshIfNeeded([], done.on);
    await w.clock.leap(MINUTE_MS);
    return done.got.join() === 'false';
  });

  rule('answerRunOut', 'is false when every candidate failed, once', async (one) => {
    const w = failing(one);
    const done = calls<boolean>();
    w.pool.refreshIfNeeded([], done.on);
    await w.clock.leap(MINUTE_MS);
    return done.got.join() === 'false';
  });

  it('reaches a lookup in an empty pool as an empty swarm, once', async () => {
    const w = failing(variant('final'));
    const swarms = calls<number>();
    w.pool.getSwarm(account(1), ({ nodes }) => swarms.on(nodes.length));
    await w.clock.leap(MINUTE_MS);
    expect(swarms.got).to.deep.equal([0]);
    w.list = network();
    w.pool.getSwarm(account(1), ({ nodes }) => swarms.on(nodes.length));
    await w.clock.leap(MINUTE_MS);
    expect(swarms.got).to.deep.equal([0, 6]);
  });
});

describe('a suspended pool', () => {
  rule('suspendAbandonsRefresh', 'abandons its refresh and answers who waits', async (one) => {
    const w = await refreshing(one);
    const done = calls<boolean>();
    w.pool.refreshIfNeeded([], done.on);
    w.pool.suspend();
    const answered = done.got.join();
    w.list = 'failure';
    const before = w.pool.state()['refreshes'] as { readonly requests: number };
    w.answerFetches('failure');
    await w.clock.leap(HOUR_MS);
    const after = w.pool.state()['refreshes'] as { readonly requests: number };
    return answered === 'false' && after.requests === before.requests;
  });

  rule(
    'lateFetchKeepsOut',
    'does not let a late retry take candidates from the refresh after it',
    async (one) => {
      const w = await refreshing(one);
      w.pool.refreshIfNeeded();
      w.answerFetches('failure');
      w.pool.suspend();
      w.pool.resume();
      w.pool.refreshIfNeeded();
      const asked = w.fetches.length;
      await w.clock.leap(MINUTE_MS);
      return w.fetches.length === asked;
    },
  );

  rule('lateRestartKeepsOut', 'does not let a late restart wipe the refresh after it', async (one) => {
    const w = failing(one);
    w.seeds.splice(1);
    w.pool.refreshIfNeeded();
    await w.clock.leap(200);
    expect(w.events('refresh.finished')[0]).to.include({ outcome: 'failed' });
    w.pool.suspend();
    w.pool.resume();
    w.list = undefined;
    w.pool.refreshIfNeeded();
    const started = w.refreshes;
    await w.clock.leap(MINUTE_MS);
    return w.refreshes === started;
  });

  it('does not begin again what had run out before, as the old client did', async () => {
    for (const [name, started] of [
      ['final', 1],
      ['original', 2],
    ] as const) {
      const w = failing(variant(name));
      w.seeds.splice(1);
      w.pool.refreshIfNeeded();
      await w.clock.leap(200);
      expect(w.events('refresh.finished').at(-1), name).to.include({ outcome: 'failed' });
      w.list = undefined;
      w.pool.suspend();
      w.pool.resume();
      await w.clock.leap(MINUTE_MS);
      expect(w.refreshes, name).to.equal(started);
    }
  });

  it('takes no late answer of the refresh that it abandoned, good as it may be', async () => {
    const w = await refreshing(variant('final'));
    w.pool.refreshIfNeeded();
    const late = w.fetches.splice(0);
    w.pool.suspend();
    w.pool.resume();
    const done = calls<boolean>();
    w.pool.refreshIfNeeded([], done.on);
    const other = Array.from({ length: 24 }, (_, index) => node(101 + index));
    for (const { onResult } of late) onResult({ ok: true, nodes: other, bytes: 0 });
    expect([keysOf(w), w.pool.state()['refreshing'], done.got]).to.deep.equal([
      network().map(({ ed25519 }) => ed25519),
      'age',
      [],
    ]);
    w.answerFetches(network().slice(0, 20));
    expect([w.pool.size, done.got]).to.deep.equal([20, [true]]);
  });

  rule('noRestartOnResume', 'starts no refresh by itself when it resumes', async (one) => {
    const w = await refreshing(one);
    w.pool.refreshIfNeeded();
    w.pool.suspend();
    w.pool.resume();
    await w.clock.leap(MINUTE_MS);
    return w.refreshes === 1;
  });

  rule('suspendForgetsFailures', 'begins with the first delay after it', async (one) => {
    const w = failing(one);
    w.seeds.push(...Array.from({ length: 20 }, (_, index) => node(210 + index, 0)));
    w.pool.refreshIfNeeded();
    await w.clock.leap(MINUTE_MS);
    w.pool.suspend();
    w.pool.resume();
    w.told.splice(0);
    w.pool.refreshIfNeeded();
    await w.clock.leap(MINUTE_MS);
    return w.events('refresh.retried')[0]?.['delayMs'] === 200;
  });

  it('resumes only when it was suspended', () => {
    const w = new PoolWorld(variant('final'));
    w.pool.resume();
    expect(w.refreshes).to.equal(0);
  });
});
