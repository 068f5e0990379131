import { expect } from 'chai';
import { ERROR } from '../errors.ts';
import { answer, batchOf, NetworkWorld, swarmOf } from './network-world.ts';
import { account, calls, MINUTE_MS, network, node } from './pool-world.ts';
import { rule, type Variant, variant } from './rule-test.ts';

/** Refreshes asked for before what never stops asking is stopped. */
const MOCK_STOPS_AT = 21;
const moved = [node(7), node(8), node(9)];
const aged = (one: Variant) => NetworkWorld.aged(one);
const targets = (w: NetworkWorld): readonly bigint[] => w.sent.map(({ request }) => request.to.swarmId);

describe('a request that is answered 421', () => {
  it('is sent once more, to the swarm that the redirect names, without a refresh', async () => {
    const w = await aged(variant('final'));
    const got = w.send([1]);
    w.reply(answer(421, swarmOf(moved)));
    w.reply(answer(200));
    expect(got.map(({ status }) => status)).to.deep.equal([200]);
    expect([targets(w), w.refreshes]).to.deep.equal([[1n, 2n], 0]);
    w.send([1]);
    expect(targets(w).at(-1)).to.equal(2n);
  });

  it('was sent to the same swarm again by the old client, and so for as long as the pool was young', async () => {
    for (const name of ['original', 'evict-only']) {
      const w = await aged(variant(name));
      for (let turn = 0; turn < 5; turn += 1) {
        const got = w.send([1]);
        w.reply(answer(421, swarmOf(moved)));
        w.reply(answer(421, swarmOf(moved)));
        expect(got[0]?.ok, name).to.equal(false);
      }
      expect(new Set(targets(w)), name).to.deep.equal(new Set([1n]));
      expect(w.refreshes, name).to.equal(0);
    }
  });

  it('is sent again after the refresh when there is no redirect', async () => {
    const w = await aged(variant('final'));
    w.list = network().map((one) => ({
      ...one,
      swarmId: one.swarmId === 1n ? 2n : one.swarmId === 2n ? 1n : one.swarmId,
    }));
    const got = w.send([1]);
    const first = w.sent[0]?.request.to.ed25519;
    w.reply(answer(421, swarmOf([])));
    w.reply(answer(200));
    expect([got[0]?.status, w.refreshes]).to.deep.equal([200, 1]);
    expect(moved.concat(node(10), node(11), node(12)).map(({ ed25519 }) => ed25519)).to.include(
      w.sent[1]?.request.to.ed25519,
    );
    expect(w.events('request.retried')[0]).to.include({ from: first });
  });

  it('fails when the redirect leaves nobody else to ask, and has asked for a refresh', async () => {
    const w = await aged(variant('final'));
    w.list = undefined;
    const got = w.send([1]);
    const first = w.sent[0]?.request.to;
    w.reply(answer(421, swarmOf(first ? [first] : [])));
    expect(got[0]).to.include({ ok: false, status: 421 });
    expect(got[0]?.message).to.match(/no other node/);
    expect(w.events('refresh.started')[0]).to.include({ reason: 'rejection' });
  });

  it('for no account of ours fails without a refresh', async () => {
    const w = await aged(variant('final'));
    const got = w.send([undefined]);
    w.reply(answer(421, swarmOf(moved)));
    expect([got[0]?.status, w.refreshes, w.sent.length]).to.deep.equal([421, 0, 1]);
  });

  it('does nothing else when it names another account', async () => {
    const w = await aged(variant('final'));
    const got = w.send([1]);
    w.reply(answer(421, swarmOf(moved, account(3))));
    expect([got[0]?.status, w.refreshes, w.sent.length]).to.deep.equal([421, 0, 1]);
    expect(w.pool.state()['overrides']).to.deep.equal({});
  });

  rule('followRedirects', 'takes the redirect, and refreshes nothing', async (one) => {
    const w = await aged(one);
    w.send([1]);
    w.reply(answer(421, swarmOf(moved)));
    return w.refreshes === 0 && targets(w)[1] === 2n;
  });

  rule('failUnresolved', 'is not sent to the swarm that rejected it', async (one) => {
    const w = new NetworkWorld(one);
    const got = w.send([1]);
    w.reply(answer(421, swarmOf([])));
    return w.sent.length === 1 && /could not be resolved/.test(got[0]?.message ?? '');
  });

  rule('retryResolvesAccount', 'resolves its account, not the node that rejected it', async (one) => {
    const w = await aged(one);
    w.send([4]);
    w.reply(answer(421, swarmOf(moved)));
    const looked = w.events('swarm.resolved').map((event) => event['account']);
    return looked.length === 2 && looked[1] === account(4);
  });

  rule('recordBeforeAnything', 'says where its account is even when its retries are spent', async (one) => {
    const w = await aged(one);
    w.send([1]);
    w.reply(answer(421, swarmOf(moved)));
    w.reply(answer(421, swarmOf([node(13), node(14), node(15)])));
    return w.swarmKeys()[0] === node(13).ed25519;
  });

  rule('retryAtMostOnce', 'is sent at most once more', async (one) => {
    const w = await aged(one);
    w.respond = ({ to }) =>
      answer(421, swarmOf(network().filter((other) => other.swarmId === (to.swarmId % 4n) + 1n)));
    const got = w.send([1]);
    return w.sent.length === 2 && got.length === 1;
  });

  rule('retrySingleAccount', 'is sent once more as a whole', async (one) => {
    const w = await aged(one);
    w.send([1, 1]);
    w.reply(batchOf([421, swarmOf(moved)], [421, swarmOf(moved)]));
    return w.sent.length === 2;
  });
});

describe('a batch', () => {
  it('takes the redirects of all its accounts, and asks for nothing when each has one', async () => {
    const w = await aged(variant('final'));
    const got = w.send([1, 2, 1]);
    const others = [node(13), node(14), node(15)];
    w.reply(batchOf([421, swarmOf(moved)], [421, swarmOf(others)], [421, swarmOf(moved)]));
    expect([got[0]?.status, w.sent.length, w.refreshes]).to.deep.equal([421, 1, 0]);
    expect([w.swarmKeys(1)[0], w.swarmKeys(2)[0]]).to.deep.equal([node(7).ed25519, node(13).ed25519]);
  });

  it('that is answered for one account and rejected for another gives its caller the results', async () => {
    const w = await aged(variant('final'));
    const got = w.send([1, 2]);
    w.reply(batchOf([200, { messages: [] }], [421, swarmOf([])]));
    expect(got[0]?.ok).to.equal(true);
    expect([w.sent.length, w.refreshes]).to.deep.equal([1, 1]);
  });

  it('that fails for one account alone, in different ways, has stored nothing and is sent once more', async () => {
    const w = await aged(variant('final'));
    const got = w.send([1, 1]);
    w.reply(batchOf([421, swarmOf(moved)], [500]));
    w.reply(batchOf([200], [200]));
    expect([got[0]?.status, targets(w), w.refreshes]).to.deep.equal([200, [1n, 2n], 0]);
    const spent = w.send([1, 1]);
    w.reply(batchOf([421, swarmOf(moved)], [500]));
    w.reply(batchOf([421, swarmOf(moved)], [500]));
    expect([spent[0]?.ok, spent[0]?.status, w.sent.length]).to.deep.equal([false, 421, 4]);
  });

  it('that is rejected for one account and refused for another gives its caller both', async () => {
    const w = await aged(variant('final'));
    const got = w.send([1, 2]);
    const both = batchOf([421, swarmOf(moved)], [401]);
    w.reply(both);
    expect(got[0]).to.deep.include({ ok: true, status: 200, body: both.body });
    expect([w.sent.length, w.refreshes, w.swarmKeys(1)[0]]).to.deep.equal([1, 0, node(7).ed25519]);
  });

  it('that ignores a 421 is not sent again as a whole', async () => {
    const w = await aged(variant('final'));
    w.send([1, 2]);
    w.reply(batchOf([421, swarmOf(moved)], [421, swarmOf(moved, account(9))]));
    expect([w.sent.length, w.refreshes]).to.deep.equal([1, 0]);
    expect(w.swarmKeys(1)[0]).to.equal(node(7).ed25519);
    expect(w.swarmKeys(2)).to.have.length(6);
  });

  rule('mixedReachHandling', 'that is rejected in part is still heeded', async (one) => {
    const w = await aged(one);
    w.send([1, 2]);
    w.reply(batchOf([200], [421, swarmOf([node(13), node(14), node(15)])]));
    return w.swarmKeys(2)[0] === node(13).ed25519;
  });

  rule('severalAreNotRetried', 'that is rejected for several accounts is not sent again', async (one) => {
    const w = await aged(one);
    w.send([1, 2]);
    w.reply(batchOf([421, swarmOf(moved)], [421, swarmOf(moved)]));
    return w.sent.length === 1;
  });

  rule(
    'answeredAreNotRetried',
    'that was answered in part is not sent again, and so stores nothing twice',
    async (one) => {
      const w = await aged(one);
      w.send([1, 2]);
      w.reply(batchOf([200], [421, swarmOf(moved)]));
      return w.sent.length === 1;
    },
  );

  rule('oneRefreshPerResponse', 'asks for one refresh, however many accounts it concerns', async (one) => {
    const w = new NetworkWorld(one);
    w.send([1, 2, 3]);
    w.reply(batchOf([421, swarmOf([])], [421, swarmOf([])], [421, swarmOf([node(7)])]));
    return w.events('refresh.asked').length === 1;
  });
});

describe('a sequence', () => {
  it('that ended at a rejected part gives its caller the results, and takes the redirect', async () => {
    const w = await aged(variant('final'));
    const got = w.send([1, 2, 1], 'sequence');
    w.reply(batchOf([200, { messages: [] }], [421, swarmOf([node(13), node(14), node(15)])]));
    expect(got[0]).to.include({ ok: true, status: 200 });
    expect([w.sent.length, w.refreshes]).to.deep.equal([1, 0]);
    expect([w.swarmKeys(2)[0], w.swarmKeys(1)]).to.deep.equal([
      node(13).ed25519,
      network()
        .slice(0, 6)
        .map(({ ed25519 }) => ed25519),
    ]);
  });

  it('that ended at its first part has done nothing, and is sent once more as a whole', async () => {
    const w = await aged(variant('final'));
    const got = w.send([1, 1, 1], 'sequence');
    w.reply(batchOf([421, swarmOf(moved)]));
    w.reply(batchOf([200], [200], [200]));
    expect(got.map(({ status }) => status)).to.deep.equal([200]);
    expect([targets(w), w.refreshes]).to.deep.equal([[1n, 2n], 0]);
    expect(w.sent[1]?.request).to.deep.include({ method: 'sequence', accounts: w.sent[0]?.request.accounts });
  });
});

describe('a clock that is wrong', () => {
  it('is set by the median of three nodes, and the requests that found it wrong fail', async () => {
    const w = await aged(variant('final'));
    const got = w.send([1]);
    const second = w.send([1]);
    w.reply(answer(406));
    w.reply(answer(406));
    expect(got.length + second.length).to.equal(0);
    const infos = w.sent.slice(2);
    expect(infos.map(({ request }) => request.method)).to.deep.equal(['info', 'info', 'info']);
    const offsets = [5_000, -90_000, 3_000];
    infos.forEach(({ onAnswer }, index) => {
      onAnswer(answer(200, { t: w.clock.wallMs() + (offsets[index] ?? 0) }));
    });
    expect([got[0]?.status, second[0]?.status]).to.deep.equal([406, 406]);
    expect(w.network.clockOffsetMs).to.equal(3_000);
  });

  it('keeps the offset that it had when nobody says what time it is, or nobody can be asked', async () => {
    const w = await aged(variant('final'));
    w.respond = ({ method }) =>
      method === 'info' ? answer(200, { t: w.clock.wallMs() + 3_000 }) : answer(406);
    w.send([1]);
    expect(w.network.clockOffsetMs).to.equal(3_000);
    w.respond = ({ method }) => (method === 'info' ? answer(503) : answer(406));
    const unsaid = w.send([1]);
    expect([unsaid[0]?.status, w.network.clockOffsetMs]).to.deep.equal([406, 3_000]);
    w.respond = () => undefined;
    const unasked = w.send([1]);
    w.seeds.splice(0);
    w.pool.replace([]);
    w.sent.at(-1)?.onAnswer(answer(406));
    await w.clock.leap(3_000);
    expect([unasked[0]?.status, w.network.clockOffsetMs]).to.deep.equal([406, 3_000]);
    expect(w.events('clock.resync-ended')).to.have.length(3);
  });

  rule('failedResyncKeepsOffset', 'keeps the offset that it had', async (one) => {
    const w = await aged(one);
    w.respond = ({ method }) =>
      method === 'info' ? answer(200, { t: w.clock.wallMs() + 3_000 }) : answer(406);
    w.send([1]);
    expect(w.network.clockOffsetMs).to.equal(3_000);
    w.respond = () => undefined;
    w.send([1]);
    w.seeds.splice(0);
    w.pool.replace([]);
    w.sent.at(-1)?.onAnswer(answer(406));
    await w.clock.leap(3_000);
    expect(w.events('clock.resync-ended')).to.have.length(2);
    return w.network.clockOffsetMs === 3_000;
  });

  it('is set for the 425 of a server as for the 406 of a node', async () => {
    const w = await aged(variant('final'));
    w.respond = ({ method }) =>
      method === 'info' ? answer(200, { t: w.clock.wallMs() - 2_000 }) : answer(425);
    const got = w.send([1]);
    expect(got.map(({ status }) => status)).to.deep.equal([425]);
    expect([w.network.clockOffsetMs, w.refreshes]).to.deep.equal([-2_000, 0]);
    expect(w.events('clock.resync-started')).to.deep.equal([{ event: 'clock.resync-started', status: 425 }]);
  });

  it('is not waited for by the nodes that are asked for it: one that answers 406 again just does not count', async () => {
    const w = await aged(variant('final'));
    w.respond = () => answer(406);
    const got = w.send([1]);
    expect(got.map(({ status }) => status)).to.deep.equal([406]);
    expect(w.sent).to.have.length(4);
  });

  rule('resyncEndsOnFailure', 'does not stay in resync when the pool cannot be refreshed', async (one) => {
    const w = await aged(one);
    const got = w.send([1]);
    w.seeds.splice(0);
    w.pool.replace([]);
    w.reply(answer(406));
    await w.clock.leap(3_000);
    const state = w.network.state()['clock'] as { readonly running: boolean };
    return got.length === 1 && !state.running;
  });
});

describe('random nodes', () => {
  it('are as many as were asked for', () => {
    const w = new NetworkWorld(variant('final'));
    const nodes = calls<number>();
    w.network.getRandomNodes(5, (got) => nodes.on(got.length));
    expect(nodes.got).to.deep.equal([5]);
  });

  rule('randomNodesAnswerEmpty', 'are none when the pool cannot be refreshed', async (one) => {
    const w = new NetworkWorld(one, { pool: [] });
    w.seeds.splice(0);
    const nodes = calls<number>();
    w.network.getRandomNodes(5, (got) => nodes.on(got.length));
    await w.clock.leap(MINUTE_MS);
    return nodes.got.join() === '0';
  });

  rule(
    'randomNodesCheckFirst',
    'are none when a healthy pool cannot give as many, asked once',
    async (one) => {
      const w = new NetworkWorld(one);
      const nodes = calls<number>();
      w.network.getRandomNodes(25, (got) => nodes.on(got.length));
      const { awaited } = w.pool.state();
      expect(awaited).to.equal(one.name === 'final' ? 1 : MOCK_STOPS_AT);
      if (one.name === 'final')
        expect(w.linesOf('warn')).to.deep.equal(['25 random nodes cannot be had: the pool has 24']);
      return nodes.got.join() === '0' && w.events('callback.recursed').length === 0;
    },
  );
});

describe('a suspended network', () => {
  rule('refuseWhileSuspended', 'refuses requests at once', (one) => {
    const w = new NetworkWorld(one);
    w.network.suspend();
    const got = w.send([1]);
    return got[0]?.status === ERROR.NETWORK_SUSPENDED && w.sent.length === 0;
  });

  it('refused them with -1 in the old client, whose inverted guard set no flag', () => {
    for (const name of ['original', 'proposal', 'inverted-guard']) {
      const w = new NetworkWorld(variant(name));
      w.network.suspend();
      expect([w.send([1])[0]?.status, w.sent.length], name).to.deep.equal([ERROR.UNKNOWN, 0]);
    }
  });

  rule('routerSuspendsFirst', 'suspends the router before the transport', (one) => {
    const w = new NetworkWorld(one);
    w.network.suspend();
    return w.order.indexOf('router.suspend') < w.order.indexOf('transport.suspend');
  });

  rule('routerClosesFirst', 'closes the router before the transport', (one) => {
    const w = new NetworkWorld(one);
    w.network.closeConnections();
    return w.order.join() === 'router.close,transport.close';
  });

  it('resumes once, from the transport up', () => {
    const w = new NetworkWorld(variant('final'));
    w.network.resume();
    w.network.suspend();
    w.network.resume();
    expect(w.order.slice(2)).to.deep.equal(['transport.resume', 'router.resume']);
  });
});
