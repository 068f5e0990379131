import { expect } from 'chai';
import { ERROR } from '../errors.ts';
import type { Answer } from '../request.ts';
import { MINUTE_MS, network, node } from './pool-world.ts';
import { RouterWorld } from './router-world.ts';
import { rule, type Variant, variant } from './rule-test.ts';

/** A pool that is healthy by count, whose nodes all sit in two /24s. */
const crowded = network().map((one, index) => ({ ...one, ip: `198.18.${index % 2}.${index + 1}` }));

/** No pool, and nobody to fetch one from. */
function empty(one: Variant): RouterWorld {
  const w = new RouterWorld(one, { pool: [] });
  w.seeds.splice(0);
  return w;
}

/** A pool with the destination alone, so that there is no proxy. */
const lonely = (one: Variant): Variant => ({ ...one, limits: { ...one.limits, cacheMinSize: 0 } });

/** Refreshes that the unfixed builder asks for before its mock stops it, here as in the documents. */
const MOCK_STOPS_AT = 21;

/** What a request came to within a minute, and how many refreshes it asked for and waited for. */
async function counted(
  w: RouterWorld,
  send: () => Answer[],
): Promise<{ readonly answers: readonly Answer[]; readonly asked: number }> {
  const before = Number(w.pool.state()['awaited']);
  const answers = send();
  await w.clock.leap(MINUTE_MS);
  return { answers, asked: Number(w.pool.state()['awaited']) - before };
}

describe('a caller of the refresh', () => {
  rule('setupEndsOnFailure', 'finishes its set-up when the pool cannot be refreshed', async (one) => {
    const w = empty(one);
    return (['onion', 'proxied', 'direct'] as const).every((route) => w[route]().state()['ready'] === true);
  });

  rule('namedInsufficientPath', 'fails with a name when no path can be built', async (one) => {
    const w = new RouterWorld(one, { pool: crowded });
    const got = w.send(w.onion());
    await w.clock.leap(MINUTE_MS);
    return got.length === 1 && got[0]?.status === ERROR.INSUFFICIENT_NODES;
  });

  rule(
    'namedInsufficientProxyFailed',
    'fails with a name when there is no proxy after a failed refresh',
    (one) => {
      const w = empty(one);
      const got = w.send(w.proxied());
      return got.length === 1 && got[0]?.status === ERROR.INSUFFICIENT_NODES;
    },
  );

  rule('namedInsufficientProxyEmpty', 'fails with a name when no node is left to be a proxy', (one) => {
    const w = new RouterWorld(lonely(one), { pool: [node(24, 4)] });
    const got = w.send(w.proxied());
    return got.length === 1 && got[0]?.status === ERROR.INSUFFICIENT_NODES;
  });

  it('says whether there was no refresh or what the pool lacks, and the code is -10013', async () => {
    expect(ERROR.INSUFFICIENT_NODES).to.equal(-10_013);
    const final = variant('final');
    const messageOf = async (w: RouterWorld, route: 'onion' | 'proxied'): Promise<string | undefined> => {
      const got = w.send(w[route]());
      await w.clock.leap(3_000);
      return got[0]?.message;
    };
    const [failed, none] = ['the pool could not be refreshed', 'the pool has no node for it'];
    expect(await messageOf(empty(final), 'onion')).to.equal(`no path: ${failed}`);
    expect(await messageOf(empty(final), 'proxied')).to.equal(`no proxy: ${failed}`);
    const narrow = new RouterWorld(final, { pool: crowded });
    expect(await messageOf(narrow, 'onion')).to.match(/^no path: the pool has \d of 3 nodes for it$/);
    const alone = new RouterWorld(lonely(final), { pool: [node(24, 4)] });
    expect(await messageOf(alone, 'proxied')).to.equal(`no proxy: ${none}`);
  });

  rule('pathChecksFirst', 'asks for one refresh when a healthy pool sits in too few /24s', async (one) => {
    const w = new RouterWorld(one, { pool: crowded, limits: { pathCount: 1 } });
    const router = w.onion();
    const got = await counted(w, () => w.send(router));
    expect(got.asked).to.equal(one.name === 'final' ? 1 : MOCK_STOPS_AT);
    return got.answers.length === 1 && w.events('callback.recursed').length === 0;
  });

  rule('proxyChecksFirst', 'does not look for a proxy again and again', async (one) => {
    const w = new RouterWorld(lonely(one), { pool: [node(24, 4)] });
    const router = w.proxied();
    const got = await counted(w, () => w.send(router));
    expect(got.asked).to.equal(one.name === 'final' ? 1 : MOCK_STOPS_AT);
    return got.answers.length === 1 && w.events('callback.recursed').length === 0;
  });

  it('is answered with a path once the refresh brought the nodes for it', async () => {
    const w = new RouterWorld(variant('final'), { pool: crowded.slice(0, 4), limits: { pathCount: 1 } });
    const router = w.onion();
    const got = w.send(router);
    await w.clock.leap(3_000);
    expect(router.paths.all()).to.have.length(1);
    expect(got).to.deep.equal([]);
    expect(w.refreshes).to.equal(1);
  });

  it('hung for good in the old client when its seeds were gone', async () => {
    const w = empty(variant('original'));
    const got = w.send(w.onion());
    await w.clock.leap(9_999);
    expect(got).to.deep.equal([]);
    await w.clock.leap(MINUTE_MS);
    expect(got.map(({ status }) => status)).to.deep.equal([ERROR.REQUEST_TIMEOUT]);
    expect(w.pool.state()['waiting']).to.equal(1);
  });
});
