import { expect } from 'chai';
import { INVALID_SWARM_ID } from '../../session-kit/index.ts';
import { account, calls, HOUR_MS, MINUTE_MS, named, node, PoolWorld } from './pool-world.ts';
import { rule, type Variant, variant } from './rule-test.ts';

const A = account(1);
const keys = (...numbers: readonly number[]): readonly string[] => numbers.map((one) => node(one).ed25519);
const world = (one: Variant): PoolWorld => new PoolWorld(one);
const bounce = (w: PoolWorld, times: number, of = A): void => {
  for (let turn = 0; turn < times; turn += 1)
    w.pool.recordRedirect(of, named(...(turn % 2 === 0 ? [7, 8, 9] : [13, 14, 15]).map((one) => node(one))));
};

describe('a redirect', () => {
  it('takes the place of the calculated swarm until the next refresh', async () => {
    const w = world(variant('final'));
    expect(w.swarmKeys()).to.deep.equal(keys(1, 2, 3, 4, 5, 6));
    expect(w.pool.recordRedirect(A, named(node(7), node(8), node(9)))).to.deep.equal({ followed: true });
    expect(w.swarmKeys()).to.deep.equal(keys(7, 8, 9));
    expect(w.swarmKeys(2), 'another account').to.have.length(6);
    await w.clock.leap(3 * HOUR_MS);
    expect(w.swarmKeys(), 'after the refresh for its age').to.have.length(3);
    await w.clock.leap(0);
    expect(w.swarmKeys()).to.deep.equal(keys(1, 2, 3, 4, 5, 6));
  });

  it('is refused when none of the nodes that it names is in the pool', () => {
    const w = world(variant('final'));
    expect(w.pool.recordRedirect(A, named(node(101), node(102))).followed).to.equal(false);
    expect(w.pool.recordRedirect(A, []).followed).to.equal(false);
    expect(w.events('redirect.refused')[0]).to.include({ reason: 'none-known', named: 2, known: 0 });
  });

  it('counts a node that is named twice once', () => {
    const w = world(variant('final'));
    const outcome = w.pool.recordRedirect(A, named(node(7), node(7), node(7)));
    expect(outcome).to.deep.equal({ followed: true, asks: 'short' });
    expect(w.swarmKeys()).to.deep.equal(keys(7));
  });

  rule('readKeysOnly', 'addresses come from our own pool', (one) => {
    const w = world(one);
    w.pool.recordRedirect(A, [{ ...node(7), ip: '203.0.113.9', httpsPort: 1 }]);
    let ips: readonly string[] = [];
    w.pool.getSwarm(A, ({ nodes }) => {
      ips = nodes.map(({ ip }) => ip);
    });
    return ips.length === 1 && ips[0] === node(7).ip;
  });

  rule('followPartlyKnown', 'is followed with the nodes that are known', (one) => {
    const w = world(one);
    const { followed } = w.pool.recordRedirect(A, named(node(7), node(101), node(102)));
    return followed && w.swarmKeys().join() === keys(7).join();
  });

  rule('refreshWhenShort', 'asks for a refresh when too few of its nodes resolve', (one) => {
    return world(one).pool.recordRedirect(A, named(node(7), node(101), node(102))).asks === 'short';
  });

  rule('refreshWhenShortAndKnown', 'asks too when a node names only itself', (one) => {
    return world(one).pool.recordRedirect(A, named(node(1))).asks === 'short';
  });

  rule('fullSwarmAsksNothing', 'asks for nothing with a full swarm and a few unknown nodes', (one) => {
    const outcome = world(one).pool.recordRedirect(A, named(node(7), node(8), node(9), node(101)));
    return outcome.followed && outcome.asks === undefined;
  });

  rule('ignoreCalculatedSwarm', 'back to the calculated swarm puts a wrong one right', (one) => {
    const w = world(one);
    w.pool.recordRedirect(A, named(node(7), node(8), node(9)));
    w.pool.recordRedirect(A, named(...[1, 2, 3, 4, 5, 6].map((number) => node(number))));
    return w.swarmKeys().join() === keys(1, 2, 3, 4, 5, 6).join();
  });

  rule('limitNeverRefuses', 'is followed however many there were', (one) => {
    const w = world(one);
    bounce(w, 9);
    return w.events('redirect.refused').length === 0 && w.swarmKeys().join() === keys(7, 8, 9).join();
  });

  rule('limitAsksForRefresh', 'asks for a refresh from the ninth on', (one) => {
    const w = world(one);
    bounce(w, 11);
    const asks = w.events('redirect.followed').map((event) => event['asks']);
    return asks.slice(0, 8).every((ask) => ask === null) && asks.slice(8).every((ask) => ask === 'limit');
  });

  rule('countPerAccount', 'of one account does not count for another', (one) => {
    const w = world(one);
    bounce(w, 8);
    return w.pool.recordRedirect(account(2), named(node(1), node(2), node(3))).asks === undefined;
  });

  rule('countSaturates', 'is past the limit for as long as no refresh runs', (one) => {
    const w = world(one);
    bounce(w, 300);
    return w
      .events('redirect.followed')
      .slice(8)
      .every((event) => event['asks'] === 'limit');
  });

  rule('countOutlivesAnswers', 'still counts when requests were answered in between', (one) => {
    const w = world(one);
    for (let turn = 0; turn < 9; turn += 1) {
      bounce(w, 1);
      w.pool.recordAnswer(A);
    }
    return w.events('redirect.followed').at(-1)?.['asks'] === 'limit';
  });

  rule('overridesApart', 'leaves the memo a pure memo of the calculation', (one) => {
    const w = world(one);
    w.pool.recordRedirect(A, named(node(7), node(8), node(9)));
    return (w.pool.state()['impureMemos'] as readonly string[]).length === 0;
  });

  rule('refreshDropsOverrides', 'ends with the pool that it corrects', (one) => {
    const w = world(one);
    for (const of of [A, account(2)]) w.pool.recordRedirect(of, named(node(13), node(14), node(15)));
    w.pool.replace(w.pool.nodes);
    return (
      Object.keys(w.pool.overrides()).length === 0 &&
      [1, 2].every((number) => w.swarmKeys(number).length === 6)
    );
  });

  rule('refreshResetsCounts', 'counts from nothing after a refresh', (one) => {
    const w = world(one);
    const both = [A, account(2)];
    for (const of of both) bounce(w, 8, of);
    w.pool.replace(w.pool.nodes);
    for (const of of both) bounce(w, 1, of);
    return w
      .events('redirect.followed')
      .slice(-2)
      .every(({ asks, count }) => asks === null && count === 1);
  });

  it('stays, and so does its count, when a refresh fails or is abandoned', async () => {
    const w = world(variant('final'));
    bounce(w, 8);
    const before = w.pool.overrides();
    const done = calls<boolean>();
    w.list = undefined;
    w.pool.refreshNow(done.on);
    w.pool.suspend();
    w.pool.resume();
    w.list = 'failure';
    w.pool.refreshNow(done.on);
    await w.clock.leap(MINUTE_MS);
    expect(done.got).to.deep.equal([false, false]);
    expect(w.pool.overrides()).to.deep.equal(before);
    bounce(w, 1);
    expect(w.events('redirect.followed').at(-1)).to.include({ count: 9, asks: 'limit' });
  });

  rule('overrideHasNoId', 'gives no swarm id', (one) => {
    const w = world(one);
    w.pool.recordRedirect(A, named(node(7), node(8), node(9)));
    let id = 0n;
    w.pool.getSwarm(A, ({ swarmId }) => {
      id = swarmId;
    });
    return id === INVALID_SWARM_ID;
  });

  rule(
    'everyLookupChecksAge',
    'is looked up with a look at the age of the pool, as a memo is',
    async (one) => {
      const w = world(one);
      const checks: unknown[] = [];
      const lookUp = (): void => {
        w.swarmKeys();
        checks.push(w.pool.state()['ageChecks']);
      };
      lookUp();
      lookUp();
      w.pool.recordRedirect(A, named(node(7), node(8), node(9)));
      lookUp();
      const sources = w.events('swarm.resolved').map((event) => event['source']);
      expect(sources).to.deep.equal(['calculated', 'memo', 'override']);
      return checks.join() === '1,2,3';
    },
  );

  it('or a swarm of a pool that is empty yet looks at the age once, though it waits for a refresh', async () => {
    const w = new PoolWorld(variant('final'), { pool: [] });
    const got = calls<number>();
    w.pool.getSwarm(A, ({ nodes }) => got.on(nodes.length));
    await w.clock.leap(0);
    expect([got.got, w.refreshes, w.pool.state()['ageChecks']]).to.deep.equal([[6], 1, 1]);
  });

  rule('quietRedirects', 'logs at debug when it is followed, as a declined refresh does', (one) => {
    const w = world(one);
    bounce(w, 2);
    w.invalidate();
    return w.linesOf('info').length === 0 && w.linesOf('debug').length === 3;
  });

  rule('limitWarnsOnce', 'warns at the crossing and not after it', (one) => {
    const w = world(one);
    bounce(w, 12);
    return w.linesOf('warn').length === 1;
  });

  rule('unknownWarnsEachTime', 'warns of unknown nodes each time', (one) => {
    const w = world(one);
    for (let turn = 0; turn < 3; turn += 1)
      w.pool.recordRedirect(A, named(node(7), node(8), node(9), node(101)));
    return w.linesOf('warn').length === 3;
  });

  it('warns of unknown nodes also when it names nobody else and is refused', () => {
    const w = world(variant('final'));
    for (let turn = 0; turn < 3; turn += 1) w.pool.recordRedirect(A, named(node(101), node(102)));
    expect(w.events('redirect.refused').map(({ reason }) => reason)).to.deep.equal(
      Array(3).fill('none-known'),
    );
    expect(w.linesOf('warn')).to.have.length(3);
    w.pool.recordRedirect(A, []);
    expect(w.linesOf('warn'), 'nobody is named').to.have.length(3);
  });

  it('was refused in the proposal after three, which also erased the override and its count', () => {
    const w = world(variant('proposal'));
    bounce(w, 3);
    expect(w.pool.recordRedirect(A, named(node(13), node(14), node(15))).followed).to.equal(false);
    expect(w.swarmKeys(), 'the calculated swarm again').to.deep.equal(keys(1, 2, 3, 4, 5, 6));
    expect(w.pool.recordRedirect(A, named(node(7), node(8), node(9))).followed).to.equal(true);
    const asks = w.events('redirect.followed').map((event) => event['asks']);
    expect(asks).to.deep.equal([null, null, null, null]);
  });

  it('asks only for unknown nodes in the follow-up before the last', () => {
    const w = world(variant('unknown-only'));
    expect(w.pool.recordRedirect(A, named(node(1))).asks).to.equal(undefined);
    expect(w.pool.recordRedirect(A, named(node(1), node(101))).asks).to.equal('short');
  });
});
