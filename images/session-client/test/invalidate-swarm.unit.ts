import { expect } from 'chai';
import { account, calls, HOUR_MS, MINUTE_MS, PoolWorld } from './pool-world.ts';
import { rule, type Variant, variant } from './rule-test.ts';

/** A pool that is old enough for a rejection to refresh it. */
async function aged(one: Variant): Promise<PoolWorld> {
  const w = new PoolWorld(one);
  await w.clock.leap(10 * MINUTE_MS);
  return w;
}

/** A node rejects every request: one comes every ten seconds. @returns the minutes at which a refresh ran */
async function minutesOfRefreshes(w: PoolWorld, forMs: number): Promise<readonly number[]> {
  const fromMs = w.clock.nowMs();
  const minutes: number[] = [];
  for (let turn = 0; turn * 10_000 < forMs; turn += 1) {
    if (w.invalidate()) minutes.push((w.clock.nowMs() - fromMs) / MINUTE_MS);
    await w.clock.leap(10_000);
  }
  return minutes;
}

describe('a rejection without a usable redirect', () => {
  it('refreshes at minutes 0, 1, 3, 7, 15, 31 and 63 of two hours', async () => {
    const w = await aged(variant('final'));
    expect(await minutesOfRefreshes(w, 2 * HOUR_MS)).to.deep.equal([0, 1, 3, 7, 15, 31, 63]);
  });

  it('answers true once its refresh has run, and false when it is declined', async () => {
    const w = await aged(variant('final'));
    const answered = calls<boolean>();
    w.pool.invalidateSwarm(account(1), answered.on);
    w.pool.invalidateSwarm(account(1), answered.on);
    expect(answered.got).to.deep.equal([true, false]);
    expect(w.events('swarm.invalidated')[0]).to.include({ step: 1, nextMs: 11 * MINUTE_MS });
    expect(w.events('refresh.declined')[0]).to.include({ reason: 'young' });
  });

  it('waits for a refresh that runs already, without a step of its own', async () => {
    const w = await aged(variant('final'));
    w.list = undefined;
    const answered = calls<boolean>();
    w.pool.invalidateSwarm(account(1), answered.on);
    w.pool.invalidateSwarm(account(2), answered.on);
    expect([w.fetches.length, answered.got.length]).to.deep.equal([3, 0]);
    w.answerFetches(w.pool.nodes);
    expect(answered.got).to.deep.equal([true, true]);
    expect(w.pool.state()['step']).to.equal(1);
  });

  it('changed nothing in the old client, and erasing the memo calculates the same again', async () => {
    const sources = { original: 'memo', 'evict-only': 'calculated' };
    for (const [name, source] of Object.entries(sources)) {
      const w = await aged(variant(name));
      const before = w.swarmKeys();
      const answered = calls<boolean>();
      w.pool.invalidateSwarm(account(1), answered.on);
      expect([answered.got, w.refreshes], name).to.deep.equal([[true], 0]);
      expect(w.swarmKeys(), name).to.deep.equal(before);
      expect(w.events('swarm.resolved').at(-1)?.['source'], name).to.equal(source);
    }
  });

  rule('refreshOnEvidence', 'refreshes whatever the age', async (one) => (await aged(one)).invalidate());

  rule('intervalDoubles', 'refreshes a handful of times in two hours', async (one) => {
    return (await minutesOfRefreshes(await aged(one), 2 * HOUR_MS)).length <= 7;
  });

  rule('intervalCapped', 'refreshes at least every two hours', async (one) => {
    const w = await aged(one);
    for (let turn = 0; turn < 12; turn += 1) {
      w.invalidate();
      await w.clock.leap(Math.min(2 ** turn, 120) * MINUTE_MS);
    }
    const before = w.refreshes;
    for (let turn = 0; turn < 6; turn += 1) {
      w.invalidate();
      await w.clock.leap(2 * HOUR_MS);
    }
    return w.refreshes === before + 6;
  });

  rule('doubleOnlyAfterRun', 'takes the next step only after a refresh that ran', async (one) => {
    const w = await aged(one);
    w.invalidate();
    await w.clock.leap(MINUTE_MS);
    w.invalidate();
    await w.clock.leap(1.5 * MINUTE_MS);
    for (let turn = 0; turn < 3; turn += 1) w.invalidate();
    await w.clock.leap(0.5 * MINUTE_MS);
    return w.invalidate();
  });

  rule('declineYoungPool', 'refreshes no pool under a minute old', async (one) => {
    const w = new PoolWorld(one);
    await w.clock.leap(MINUTE_MS - 1);
    const young = w.invalidate();
    await w.clock.leap(1);
    return !young && w.invalidate();
  });

  rule('quietResetsInterval', 'refreshes at once after quiet of twice the interval', async (one) => {
    const w = await aged(one);
    await minutesOfRefreshes(w, 8 * MINUTE_MS);
    await w.clock.leap(16 * MINUTE_MS);
    w.invalidate();
    return w.pool.state()['step'] === 1;
  });

  it('keeps its step a millisecond before that, and begins anew then', async () => {
    const stepAfter = async (quietMs: number): Promise<unknown> => {
      const w = await aged(variant('final'));
      // Three refreshes, so that the interval is four minutes.
      for (const minutes of [1, 2, 0]) {
        w.invalidate();
        await w.clock.leap(minutes * MINUTE_MS);
      }
      await w.clock.leap(quietMs);
      w.invalidate();
      return w.pool.state()['step'];
    };
    expect([await stepAfter(8 * MINUTE_MS - 1), await stepAfter(8 * MINUTE_MS)]).to.deep.equal([4, 1]);
  });

  rule('abandonedKeepsStep', 'keeps its step when the refresh is abandoned', async (one) => {
    const w = await aged(one);
    w.list = undefined;
    w.invalidate();
    w.pool.suspend();
    w.pool.resume();
    await w.clock.leap(1_000);
    return !w.invalidate() && w.events('refresh.declined').at(-1)?.['reason'] === 'backoff';
  });
});
