import { expect } from 'chai';
import { identityOf } from '../../../harness/identity/index.ts';
import {
  ACCESS,
  Fields,
  PATH,
  parseAccountRequest,
  type RawRequest,
  type RetrieveRequest,
  SIZE,
  signedText,
  written,
} from '../../session-kit/index.ts';
import { testClock } from '../../session-kit/test/in-process.ts';
import { MessageStore } from '../message-store.ts';
import type { StorageNode } from '../storage-node.ts';
import { retrieveHandler } from '../store-handlers.ts';
import { Owner } from './bed.ts';
import { identity, singleNode } from './single-node.ts';

type Json = Readonly<Record<string, unknown>>;

describe('what a storage node is asked seldom', () => {
  const clock = testClock();
  const owner = new Owner('owner', clock);
  const own = identity.ed25519;
  let node: StorageNode;
  beforeEach(() => {
    node = singleNode(clock);
  });
  afterEach(() => node.stop());

  const request = async (method: string, path: string, body: unknown = '') => {
    const bytes = Buffer.from(JSON.stringify(body));
    const answer = await node.answer({
      method,
      path,
      body: bytes,
      headers: {},
      from: '127.9.9.9',
      connection: 1,
    });
    if (answer === 'cut') throw new Error('cut');
    const { status, type, bytes: read } = written(answer);
    return { status, body: type === 'application/json' ? (JSON.parse(String(read)) as Json) : String(read) };
  };
  const ask = (body: RawRequest) => request('POST', PATH.rpc, body);
  /** What the node itself made of a method that goes to the whole swarm. */
  const atHome = async (body: RawRequest): Promise<unknown> =>
    ((await ask(body)).body as { swarm: Json }).swarm[own];
  const stored = async (text: string, more: Json = {}): Promise<string> =>
    ((await atHome(owner.store(text, more))) as { hash: string }).hash;

  it('is done: deleted before a time, shortened all together', async () => {
    const old = await stored('old', { timestamp: owner.nowMs - 3_000 });
    const young = await stored('young');
    expect(await atHome(owner.signed('delete_before', { before: owner.nowMs - 1_000 }))).to.deep.include({
      deleted: [old],
    });
    const expiry = owner.nowMs + 60_000;
    expect(await atHome(owner.signed('expire_all', { expiry }))).to.deep.include({ updated: [young] });
    const later = owner.signed('expire_all', { expiry: expiry + 1 });
    expect(await atHome(later)).to.deep.include({ updated: [] });
    const asked = await ask(owner.signed('get_expiries', { messages: [old, young] }));
    expect(asked.body).to.deep.include({ expiries: { [young]: expiry } });
    for (const [status, refused] of [
      [401, owner.signed('delete_before', { before: owner.nowMs + 61_000 })],
      [406, owner.signed('expire_all', { expiry: owner.nowMs - 61_000 })],
    ] as const)
      expect((await ask(refused)).status, refused.method).to.equal(status);
  });

  it('is done: a subaccount may read until it is revoked, and again after', async () => {
    const member = identityOf('7', 'member');
    const token = Buffer.concat([Buffer.from([5, ACCESS.read, 0, 0]), member.ed25519.publicKey]);
    const allowed = Buffer.from(owner.identity.ed25519.sign(token)).toString('base64');
    const asMember = (): RawRequest => {
      const params = {
        ...owner.signed('retrieve').params,
        subaccount: token.toString('hex'),
        subaccount_sig: allowed,
      };
      const text = signedText(parseAccountRequest('retrieve', new Fields(params))) ?? Buffer.alloc(0);
      const signature = Buffer.from(member.ed25519.sign(text)).toString('base64');
      return { method: 'retrieve', params: { ...params, signature } };
    };
    const change = (method: string, name: string): RawRequest =>
      owner.signed(method, { [name]: token.toString('hex') });
    expect((await ask(asMember())).status).to.equal(200);
    expect((await ask(change('revoke_subaccount', 'revoke'))).status).to.equal(200);
    expect(await ask(asMember())).to.deep.equal({
      status: 401,
      body: 'retrieve signature verification failed',
    });
    expect(await atHome(change('unrevoke_subaccount', 'unrevoke'))).to.deep.include({ count: 1 });
    expect((await ask(asMember())).status).to.equal(200);
  });

  it('is answered: the chain’s list and names, and what it has counted', async () => {
    const oxend = async (endpoint: string, params: Json = {}): Promise<Json> => {
      const { status, body } = await ask({ method: 'oxend_request', params: { endpoint, params } });
      expect(status, endpoint).to.equal(200);
      return (body as { result: Json }).result;
    };
    const listed = await oxend('get_service_nodes', { limit: 5 });
    expect(listed).to.include({ height: 1, block_hash: 'a' });
    const states = listed['service_node_states'] as readonly Json[];
    expect(states.map((state) => state['pubkey_ed25519'])).to.deep.equal([own]);
    expect(await oxend('get_service_nodes', { poll_block_hash: 'a' })).to.include({ unchanged: true });
    expect(await oxend('ons_resolve', { type: 0, name_hash: 'x' })).to.deep.equal({});
    const stats = await request('GET', PATH.stats);
    expect(stats.status).to.equal(200);
    expect(stats.body).to.deep.include({ statuses: { 200: 3 }, methods: { oxend_request: 3 } });
  });

  it('is 503 before its first list, and 500 when no member could do it', async () => {
    await node.stop();
    node = singleNode(clock, {}, { list: false });
    const early = await ask(owner.store('x'));
    expect([early.status, early.body]).to.deep.equal([503, `Snode not ready: ${own}`]);
    await node.stop();
    node = singleNode(clock, { storeMaxBytes: 1 });
    const full = await ask(owner.store('xx'));
    expect(full.status).to.equal(500);
    expect((full.body as { swarm: Json }).swarm[own]).to.include({ failed: true, query_failure: true });
  });

  it('is given in parts: at most 7.8 MB of messages, or the fraction of that which is asked for', () => {
    const store = new MessageStore(() => owner.nowMs, Number.POSITIVE_INFINITY);
    const data = Buffer.alloc(SIZE.messageMaxBytes);
    for (let index = 0; index < 110; index += 1) {
      const times = { timestampMs: owner.nowMs, expiryMs: owner.nowMs + 60_000 };
      store.put({ account: owner.account.id, namespace: 0, hash: `${index}`, ...times, data });
    }
    const carrier = { store, nowMs: owner.nowMs, forwarded: false, sign: () => '', stored: () => undefined };
    const counts = [
      { max_size: -1 },
      {},
      { max_size: -10 },
      { max_size: 1e9 },
      { max_size: 1 },
      { max_count: 200 },
    ].map((limits) => {
      const fields = new Fields({ pubkey: owner.account.id, ...limits });
      const answer = retrieveHandler.act(parseAccountRequest('retrieve', fields) as RetrieveRequest, carrier);
      expect(answer['more'], JSON.stringify(limits)).to.equal(true);
      return (answer['messages'] as readonly unknown[]).length;
    });
    // 7,800,000 bytes are 101 messages of 76,800; a fifth of them 20; one is given however small the limit.
    expect(counts).to.deep.equal([101, 20, 10, 101, 1, 101]);
  });
});
