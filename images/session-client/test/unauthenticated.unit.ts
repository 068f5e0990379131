import { expect } from 'chai';
import { ERROR } from '../errors.ts';
import { node } from './pool-world.ts';
import { RouterWorld, sealed } from './router-world.ts';
import { rule, variant } from './rule-test.ts';

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

describe('an answer that does not decrypt', () => {
  rule('onionMustDecrypt', 'does not act when it says 421, 406 or 425 on an onion path', (one) => {
    return [421, 406, 425].every((status) => {
      const w = new RouterWorld(one);
      const got = w.send(w.onion());
      w.reply(status, '{"snodes":[]}');
      return got[0]?.status === ERROR.UNAUTHENTICATED_RESPONSE;
    });
  });

  rule('proxiedMustDecrypt', 'does not act when it says 421, 406 or 425 through a proxy', (one) => {
    return [421, 406, 425].every((status) => {
      const w = new RouterWorld(one);
      const got = w.send(w.proxied());
      w.reply(status, '{"snodes":[]}');
      return got[0]?.status === ERROR.UNAUTHENTICATED_RESPONSE;
    });
  });

  rule('sentStatusInMessage', 'says with which status it came', (one) => {
    const w = new RouterWorld(one);
    const got = w.send(w.onion());
    w.reply(421, 'go away');
    return /421/.test(got[0]?.message ?? '');
  });

  rule('otherStatusesPass', 'passes any other status, which then counts against the path', (one) => {
    const w = new RouterWorld(one);
    const router = w.onion();
    const statuses: (number | undefined)[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const got = w.send(router);
      w.reply(504, '504 Gateway Timeout');
      statuses.push(got[0]?.status);
    }
    return statuses.every((status) => status === 504) && w.events('path.failed').length > 0;
  });

  it('passes with its status and no success, and blames the path for the listed ones alone', () => {
    const table: readonly (readonly [number, string, blamed: boolean])[] = [
      [200, '{"messages":[]}', false],
      [401, 'Unauthorized', false],
      [404, '', false],
      [429, 'Too many requests', false],
      [500, 'Internal Server Error', false],
      [500, 'Invalid response from snode', true],
      [502, '', false],
      [503, 'Service node is not ready', true],
      [504, '504 Gateway Timeout', true],
    ];
    for (const [status, text, blamed] of table) {
      const w = new RouterWorld(variant('final'));
      const router = w.onion();
      const got = w.send(router);
      w.reply(status, text);
      expect(got[0], text).to.include({ ok: false, status });
      expect(got[0]?.body, text).to.equal(undefined);
      const strikes = w.events('strike.added').length + sumOf(router.paths.all().map((path) => path.strikes));
      expect(strikes > 0, `${status} ${text}`).to.equal(blamed);
    }
  });

  it('carries no body, so that no redirect of a relay is ever read', () => {
    const w = new RouterWorld(variant('onion-plaintext-acts'));
    const got = w.send(w.onion());
    w.reply(421, '{"snodes":[{"pubkey_ed25519":"00"}]}');
    expect([got[0]?.status, got[0]?.body]).to.deep.equal([421, undefined]);
  });
});

describe('an answer that is the destination’s', () => {
  it('acts on an onion path and through a proxy when it is encrypted', () => {
    for (const route of ['onion', 'proxied'] as const) {
      const w = new RouterWorld(variant('final'));
      const got = w.send(w[route]());
      w.reply(200, sealed(421, { snodes: [] }));
      expect(got[0], route).to.deep.include({ ok: false, status: 421, body: { snodes: [] } });
    }
  });

  rule('directStatusActs', 'acts over the direct route, in plaintext', (one) => {
    const w = new RouterWorld(one);
    const got = w.send(w.direct());
    w.reply(421, '{"snodes":[]}');
    return got[0]?.status === 421 && got[0].body !== undefined;
  });

  rule('tunnelStatusActs', 'acts through a tunnel, in plaintext', (one) => {
    const w = new RouterWorld(one);
    const got = w.send(w.direct('tunnel'));
    w.reply(421, '{"snodes":[]}');
    return got[0]?.status === 421 && got[0].body !== undefined;
  });

  it('is taken by the right sender: relays say which node they miss', () => {
    const w = new RouterWorld(variant('final'));
    const got = w.send(w.onion());
    w.reply(502, `502 Bad Gateway\nNext node not found: ${node(20).ed25519}`);
    expect(got[0]?.status).to.equal(502);
    expect(w.pool.isOut(node(20))).to.equal(true);
  });
});

describe('a status on a path', () => {
  rule(
    'unlistedStatusSparesPath',
    'that is not listed says nothing about the relays: 421, 401, 429',
    (one) => {
      const w = new RouterWorld(one);
      const router = w.onion();
      for (let turn = 0; turn < 8; turn += 1) {
        w.send(router);
        w.reply(200, sealed([421, 401, 429, 421][turn % 4] ?? 421));
      }
      return w.events('path.failed').length === 0 && w.events('strike.added').length === 0;
    },
  );

  it('that names the destination as missing strikes it out and spares the path', () => {
    const w = new RouterWorld(variant('final'));
    const router = w.onion();
    w.send(router, node(24, 4));
    w.reply(502, `Next node is currently unreachable: ${node(24).ed25519}`);
    expect(w.pool.isOut(node(24))).to.equal(true);
    expect(router.paths.all().map(({ strikes }) => strikes)).to.deep.equal([0, 0]);
  });

  it('of a relay that is not ready strikes that relay once', () => {
    const w = new RouterWorld(variant('final'));
    w.send(w.onion());
    w.reply(503, `Snode not ready: ${node(23).ed25519}`);
    expect(w.pool.strikes.count(node(23).ed25519)).to.equal(1);
  });

  it('retires a path after three failures, strikes its relays once each, and another is built', () => {
    const w = new RouterWorld(variant('final'), { limits: { pathCount: 1 } });
    const router = w.onion();
    const before = router.paths.all()[0]?.nodes.map(({ ed25519 }) => ed25519) ?? [];
    for (let turn = 0; turn < 3; turn += 1) {
      w.send(router);
      w.reply(504, '');
    }
    expect(before.map((key) => w.pool.strikes.count(key))).to.deep.equal([1, 1, 1]);
    const after = router.paths.all()[0]?.nodes.map(({ ed25519 }) => ed25519) ?? [];
    expect(after.filter((key) => before.includes(key))).to.deep.equal([]);
    expect(after).to.have.length(3);
  });
});
