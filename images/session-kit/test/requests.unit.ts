import { expect } from 'chai';
import { identityOf } from '../../../harness/identity/index.ts';
import {
  groupAccount,
  parseRpcBody,
  parseSubrequests,
  personalAccount,
  readRedirect,
  readSubAnswers,
  type ServiceNode,
  signedText,
  signingKeyOf,
  snodeJson,
  swarmJson,
  WireError,
} from '../index.ts';

const anna = identityOf('7', 'anna');
const account = personalAccount(anna);
const TIME_MS = 1_700_000_000_000;
const SIGNATURE = Buffer.alloc(64, 1).toString('base64');
const body = (method: string, params: unknown): Buffer => Buffer.from(JSON.stringify({ method, params }));

function refusal(bytes: Uint8Array): string {
  try {
    parseRpcBody(bytes);
  } catch (error) {
    if (error instanceof WireError) return error.message;
    throw error;
  }
  return 'taken';
}

describe('storage requests', () => {
  it('name their account by either spelling, their times as numbers or text', () => {
    for (const params of [
      { pubkey: account.id, timestamp: TIME_MS, ttl: 60_000, data: 'aGk=' },
      { pubKey: account.id.toUpperCase(), timestamp: String(TIME_MS), ttl: '60000', data: 'aGk' },
      { pubkey: account.id, timestamp: TIME_MS, expiry: TIME_MS + 60_000, data: 'aGk=', namespace: null },
    ]) {
      const request = parseRpcBody(body('store', params)).account;
      expect(request).to.deep.include({ method: 'store', namespace: 0, timestampMs: TIME_MS });
      expect(request).to.deep.include({ expiryMs: TIME_MS + 60_000, data: Buffer.from('hi') });
      expect(request?.account.id).to.equal(account.id);
    }
  });

  it('are refused with a word about what is wrong', () => {
    const store = { pubkey: account.id, timestamp: TIME_MS, ttl: 60_000, data: 'aGk=' };
    const signed = { pubkey: account.id, signature: SIGNATURE };
    const cases: readonly (readonly [string, unknown, RegExp])[] = [
      ['store', { ...store, pubKey: account.id }, /both 'pubkey' and 'pubKey'/],
      ['store', { ...store, pubkey: account.id.slice(2) }, /66 hex digits/],
      ['store', { ...store, timestamp: 1_700_000 }, /milliseconds/],
      ['store', { ...store, expiry: TIME_MS }, /Exactly one/],
      ['store', { ...store, data: 'a*' }, /not base64/],
      ['store', { ...store, data: 'a'.repeat(102_404) }, /76800 bytes/],
      ['store', { ...store, namespace: 32_768 }, /16-bit integer/],
      ['store', { ...store, signature: 'abc' }, /Ed25519 signature/],
      ['store', { ...store, data: undefined }, /'data' missing/],
      ['retrieve', { pubkey: account.id, last_hash: 'short' }, /last_hash/],
      ['retrieve', { pubkey: account.id, namespace: 1 }, /'signature' missing/],
      ['delete', { ...signed, messages: [] }, /any message hashes/],
      ['delete', { ...signed, messages: [7] }, /string array/],
      ['expire', { ...signed, messages: ['a'.repeat(43)], expiry: [TIME_MS, TIME_MS] }, /one for each/],
      ['revoke_subaccount', { ...signed, revoke: Array(51).fill('00'), timestamp: TIME_MS }, /more than 50/],
      [
        'delete_all',
        { pubkey: groupAccount(anna).id, signature: SIGNATURE, pubkey_ed25519: anna.id, timestamp: TIME_MS },
        /only permitted for 05/,
      ],
      ['fly', {}, /no method fly/],
      ['__proto__', {}, /no method/],
      ['info', [], /`params`/],
    ];
    for (const [method, params, text] of cases) expect(refusal(body(method, params))).to.match(text);
    expect(refusal(Buffer.from('[]'))).to.match(/`method`/);
  });

  it('are signed over method, namespace and time, one after another', () => {
    const retrieve = (namespace: number) =>
      parseRpcBody(
        body('retrieve', { pubkey: account.id, namespace, timestamp: TIME_MS, signature: SIGNATURE }),
      ).account;
    const text = (namespace: number) => {
      const request = retrieve(namespace);
      return request && signedText(request)?.toString();
    };
    expect([text(0), text(-10)]).to.deep.equal([`retrieve${TIME_MS}`, `retrieve-10${TIME_MS}`]);
    const expire = parseRpcBody(
      body('expire', {
        pubkey: account.id,
        messages: ['a'.repeat(43)],
        expiry: TIME_MS,
        extend: true,
        signature: SIGNATURE,
      }),
    ).account;
    expect(expire && signedText(expire)?.toString()).to.equal(`expireextend${TIME_MS}${'a'.repeat(43)}`);
  });

  it('are signed by the Ed25519 key behind a personal account, and by a group’s own', () => {
    const claimed = anna.ed25519.publicKey;
    expect(signingKeyOf(account, claimed)).to.equal(claimed);
    expect(signingKeyOf(account, identityOf('7', 'bob').ed25519.publicKey)).to.equal(undefined);
    expect(Buffer.from(signingKeyOf(groupAccount(anna), undefined) ?? []).toString('hex')).to.equal(anna.id);
  });
});

describe('batches', () => {
  const sub = { method: 'info', params: {} };
  const fieldsOf = (requests: unknown) => parseRpcBody(body('batch', { requests })).fields;

  it('carry 1 to 20 requests, none of which carries others', () => {
    expect(parseSubrequests(fieldsOf(Array(20).fill(sub)))).to.have.length(20);
    for (const bad of [
      [],
      Array(21).fill(sub),
      'x',
      [{ method: 'batch', params: { requests: [sub] } }],
      [7],
    ]) {
      expect(() => parseSubrequests(fieldsOf(bad))).to.throw(WireError);
    }
  });

  it('are answered by position; what is no such answer is none', () => {
    const results = [
      { code: 200, body: {} },
      { code: 421, body: 'x' },
    ];
    expect(readSubAnswers({ results })).to.deep.equal(results);
    for (const bad of [{}, { results: [] }, { results: [7] }, { results: [{ code: 'x' }] }, [], null]) {
      expect(readSubAnswers(bad)).to.equal(undefined);
    }
  });
});

describe('a 421', () => {
  const node: ServiceNode = {
    ed25519: 'ab'.repeat(32),
    x25519: 'cd'.repeat(32),
    legacy: '00'.repeat(32),
    swarmId: 9n,
    ip: '198.18.0.9',
    httpsPort: 22_021,
    omqPort: 22_020,
    version: [2, 8, 0],
  };

  it('names the swarm with the fields of the storage server, the port as text too', () => {
    expect(snodeJson(node)).to.deep.equal({
      address: `${'y'.repeat(52)}.snode`,
      pubkey_legacy: node.legacy,
      pubkey_x25519: node.x25519,
      pubkey_ed25519: node.ed25519,
      port: '22021',
      port_https: 22_021,
      port_omq: 22_020,
      port_quic: 22_020,
      ip: '198.18.0.9',
    });
    const facts = { wallMs: TIME_MS, hardfork: [19, 4] as const };
    const json = swarmJson({ id: 255n, nodes: [node] }, facts);
    expect(json).to.include({ swarm: 'ff', t: TIME_MS });
    expect(json).not.to.have.property('pubkey');
    expect(swarmJson(undefined, facts, account.id)).to.deep.include({
      snodes: [],
      swarm: 'ffffffffffffffff',
      pubkey: account.id,
    });
  });

  it('is read for its keys alone: each once, in order, whatever else stands there', () => {
    const upper = 'AB'.repeat(32);
    const redirect = readRedirect({
      snodes: [
        { pubkey_ed25519: upper },
        { pubkey_ed25519: node.ed25519, ip: '0.0.0.0' },
        {},
        7,
        { pubkey_ed25519: 'zz' },
        { pubkey_ed25519: 'cd'.repeat(32) },
      ],
      swarm: 'ff',
      pubkey: account.id,
    });
    expect(redirect).to.deep.equal({
      nodes: [node.ed25519, 'cd'.repeat(32)],
      echo: account.id,
      swarmId: 255n,
    });
    for (const body of [null, 'text', [], 7, { snodes: 'x' }, { snodes: {} }]) {
      expect(readRedirect(body).nodes).to.deep.equal([]);
    }
  });
});
