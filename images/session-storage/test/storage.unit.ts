import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { expect } from 'chai';
import { verifyEd25519 } from '../../../harness/identity/index.ts';
import {
  isRecord,
  nodeIdentity,
  PATH,
  parseNodeRecords,
  parseRetrieved,
  parseStored,
  readRedirect,
} from '../../session-kit/index.ts';
import { Bed, type Owner, ownerIn } from './bed.ts';

describe('storage nodes', function () {
  this.timeout(30_000);

  let bed: Bed;
  let owner: Owner;
  let members: readonly string[];
  let outsider: string;
  const member = (index: number): string => members[index] as string;

  before(async () => {
    bed = await Bed.start({
      count: 5,
      swarmSize: 2,
      environments: { 'storage-5': { SQUALL_ECHO_PUBKEY: 'false' } },
    });
    owner = await ownerIn(bed, '1');
    members = await bed.members(owner.account);
    outsider = await bed.outsider(owner.account);
  });
  after(() => bed.stop());

  const keys = (names: readonly string[]): string[] =>
    names.map((name) => bed.node(name).target.ed25519).sort();

  it('keep a message at every member of the swarm, each with its signature of the hash', async () => {
    const answer = await bed.ask(member(0), owner.store('hello'));
    expect(answer.status).to.equal(200);
    const stored = parseStored(answer.body);
    expect([...stored.stored].sort(), JSON.stringify(answer.body)).to.deep.equal(keys(members));
    const swarm = (answer.body as { swarm: Record<string, { signature: string }> }).swarm;
    for (const [key, { signature }] of Object.entries(swarm)) {
      expect(
        verifyEd25519(Buffer.from(key, 'hex'), Buffer.from(stored.hash), Buffer.from(signature, 'base64')),
      ).to.equal(true);
    }
    for (const name of members) {
      const retrieved = parseRetrieved((await bed.ask(name, owner.signed('retrieve'))).body);
      expect(retrieved.messages.map(({ data }) => data.toString())).to.deep.equal(['hello']);
    }
    const again = await bed.ask(member(1), owner.store('hello'));
    expect(again.body).to.deep.include({ hash: stored.hash });
    expect(
      (again.body as { swarm: Record<string, unknown> }).swarm[keys([member(1)])[0] as string],
    ).to.include({ already: true });
  });

  it('answer a ping with their legacy key, in the header of the real server', async () => {
    const { ip, httpsPort } = bed.node('storage-1').target;
    const url = `https://${ip}:${httpsPort}${PATH.ping}`;
    const outgoing = requestHttps(url, { method: 'POST', rejectUnauthorized: false, agent: false });
    outgoing.end();
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    answer.resume();
    const { legacy } = nodeIdentity('7', 'storage-1');
    expect(answer.statusCode).to.equal(200);
    expect(answer.headers['x-oxen-snode-pubkey']).to.equal(Buffer.from(legacy, 'hex').toString('base64'));
  });

  it('give what came after the last hash, in parts', async () => {
    const hashes: string[] = [];
    for (const text of ['a', 'b', 'c']) {
      hashes.push(parseStored((await bed.ask(member(0), owner.store(text, { namespace: 20 }))).body).hash);
    }
    const retrieve = async (more: Readonly<Record<string, unknown>>) =>
      parseRetrieved((await bed.ask(member(1), owner.signed('retrieve', { namespace: 20, ...more }))).body);
    expect((await retrieve({})).messages.map(({ hash }) => hash)).to.deep.equal(hashes);
    const part = await retrieve({ max_count: 1 });
    expect([part.messages.length, part.more]).to.deep.equal([1, true]);
    const rest = await retrieve({ last_hash: hashes[0] });
    expect([rest.messages.map(({ hash }) => hash), rest.more]).to.deep.equal([hashes.slice(1), false]);
  });

  it('answer 421 for an account that is another swarm’s, which they name, with or without the account', async () => {
    for (const request of [owner.store('x'), owner.signed('retrieve'), owner.signed('delete_all')]) {
      const answer = await bed.ask(outsider, request);
      expect(answer.status).to.equal(421);
      const redirect = readRedirect(answer.body);
      expect([...redirect.nodes].sort()).to.deep.equal(keys(members));
      expect(redirect.echo).to.equal(owner.account.id);
    }
    const old = await bed.ask('storage-5', owner.store('x'));
    expect([old.status, readRedirect(old.body).echo]).to.deep.equal([421, undefined]);
    const asked = await bed.ask(outsider, {
      method: 'get_snodes_for_pubkey',
      params: { pubKey: owner.account.id },
    });
    expect([asked.status, [...readRedirect(asked.body).nodes].sort()]).to.deep.equal([200, keys(members)]);
  });

  it('answer a batch as a whole with 200, each part with its own code, and a sequence up to the first failure', async () => {
    const other = await ownerIn(bed, '2');
    const requests = [owner.store('in a batch'), other.store('elsewhere'), { method: 'info', params: {} }];
    const codes = async (method: string): Promise<unknown[]> => {
      const { status, body } = await bed.ask(member(0), { method, params: { requests } });
      expect(status).to.equal(200);
      return (body as { results: { code: number }[] }).results.map(({ code }) => code);
    };
    expect(await codes('batch')).to.deep.equal([200, 421, 200]);
    expect(await codes('sequence')).to.deep.equal([200, 421]);
    const bad = await bed.ask(member(0), {
      method: 'batch',
      params: { requests: [...requests, { method: 'batch', params: {} }] },
    });
    expect(bad.status).to.equal(400);
  });

  it('refuse what is unsigned, signed by another, too old, too long, or too far in the future', async () => {
    const stranger = await ownerIn(bed, '1', 'stranger');
    const forged = { ...stranger.signed('retrieve').params, pubkey: owner.account.id };
    const cases: readonly (readonly [number, { method: string; params: Record<string, unknown> }])[] = [
      [401, { method: 'retrieve', params: { pubkey: owner.account.id } }],
      [401, { method: 'retrieve', params: forged }],
      [401, { method: 'retrieve', params: { ...owner.signed('retrieve').params, namespace: 20 } }],
      [406, owner.signed('retrieve', { timestamp: owner.nowMs - 61_000 })],
      [406, owner.signed('delete_all', { timestamp: owner.nowMs + 61_000 })],
      [406, owner.store('x', { timestamp: owner.nowMs + 11_000 })],
      [403, owner.store('x', { ttl: 9_999 })],
      [403, owner.store('x', { ttl: 14 * 86_400_000 + 1 })],
      [401, owner.store('x', { namespace: 1 })],
      [200, owner.signed('store', { namespace: 1, ttl: 30 * 86_400_000, data: 'aGk=' })],
      [404, owner.signed('delete', { messages: ['A'.repeat(43)], required: true })],
      [400, { method: 'oxend_request', params: { endpoint: 'shutdown' } }],
    ];
    for (const [status, request] of cases) {
      const answer = await bed.ask(member(0), request);
      expect(answer.status, JSON.stringify([request, answer])).to.equal(status);
    }
  });

  it('delete, shorten and extend at every member', async () => {
    const hash = parseStored(
      (await bed.ask(member(0), owner.store('to be changed', { namespace: 30 }))).body,
    ).hash;
    const expiry = owner.nowMs + 3_600_000;
    const changed = await bed.ask(
      member(0),
      owner.signed('expire', { messages: [hash], expiry, shorten: true }),
    );
    for (const result of Object.values((changed.body as { swarm: Record<string, unknown> }).swarm)) {
      expect(result).to.deep.include({ updated: [hash], expiry, unchanged: {} });
    }
    const asked = await bed.ask(member(1), owner.signed('get_expiries', { messages: [hash] }));
    expect(asked.body).to.deep.include({ expiries: { [hash]: expiry } });
    await bed.ask(member(1), owner.signed('delete', { messages: [hash] }));
    for (const name of members) expect(await bed.hashes(name, owner.account)).not.to.include(hash);
    await bed.ask(member(1), owner.signed('delete_all', { namespace: 'all' }));
    for (const name of members) expect(await bed.hashes(name, owner.account)).to.deep.equal([]);
  });

  it('let a message go when its time is over', async () => {
    await bed.ask(member(0), owner.store('soon gone', { ttl: 10_000 }));
    await bed.clock.leap(10_001);
    expect(bed.state(member(1))['messages']).to.equal(1);
    expect(parseRetrieved((await bed.ask(member(1), owner.signed('retrieve'))).body).messages).to.deep.equal(
      [],
    );
    await bed.clock.leap(600_000);
    expect(bed.state(member(1))['messages']).to.equal(0);
  });

  it('keep one message in a public outbox, for everybody to read', async () => {
    for (const text of ['old', 'new']) {
      const answer = await bed.ask(
        member(0),
        owner.signed('store', { namespace: -1, ttl: 60_000, data: Buffer.from(text).toString('base64') }),
      );
      expect(answer.status).to.equal(200);
    }
    const open = await bed.ask(member(1), {
      method: 'retrieve',
      params: { pubkey: owner.account.id, namespace: -1 },
    });
    expect(parseRetrieved(open.body).messages.map(({ data }) => data.toString())).to.deep.equal(['new']);
  });

  it('answer what is asked of the network: its nodes in records, its time, its version', async () => {
    const records = await bed.ask(outsider, { method: 'active_nodes_bin', params: {} });
    expect(
      parseNodeRecords(records.body as Buffer)
        .map(({ ed25519 }) => ed25519)
        .sort(),
    ).to.deep.equal(keys([...bed.nodes.keys()]));
    expect((await bed.ask(outsider, { method: 'info', params: {} })).body).to.deep.include({
      version: [2, 12, 0],
      timestamp: owner.nowMs,
    });
    const ifelse: Record<string, unknown> = { if: { v_at_least: [2, 9], hf_before: [19, 5] } };
    ifelse['then'] = { method: 'info', params: {} };
    const chosen = (await bed.ask(outsider, { method: 'ifelse', params: ifelse })).body;
    expect(
      isRecord(chosen) && [chosen['condition'], isRecord(chosen['result']) && chosen['result']['code']],
    ).to.deep.equal([true, 200]);
  });

  it('count by account, status and client, tell it once a second, and count the bytes of their sockets', async () => {
    await bed.clock.leap(1_000);
    const before = (await bed.admin(outsider, 'GET /counts'))[outsider] as {
      accounts: Record<string, Record<string, number>>;
    };
    await bed.ask(outsider, owner.store('x'));
    const after = (await bed.admin(outsider, 'GET /counts'))[outsider] as typeof before & {
      clients: Record<string, Record<string, number>>;
    };
    const of421 = (counts: typeof before): number => counts.accounts[owner.account.id]?.['421'] ?? 0;
    expect(of421(after) - of421(before)).to.equal(1);
    expect(Object.values(after.clients).some((statuses) => (statuses['421'] ?? 0) > 0)).to.equal(true);
    await bed.clock.leap(1_000);
    const told = bed
      .node(outsider)
      .told.filter(({ event }) => event === 'requests.counted')
      .at(-1);
    expect(told).to.deep.include({ statuses: { 421: 1 }, methods: { store: 1 }, clients: 1 });
    const { received, sent } = bed.state(outsider)['bytes'] as { received: number; sent: number };
    expect([told?.['receivedBytes'], told?.['sentBytes']].every((bytes) => (bytes as number) > 200)).to.equal(
      true,
    );
    expect(Math.min(received, sent)).to.be.above(1_000);
  });

  it('have next to nothing to do while nobody asks, so that a clock may leap by two days', async () => {
    await bed.clock.leap(1_000);
    expect(await bed.clock.leap(48 * 3_600_000)).to.be.at.most(bed.nodes.size * 48 * 6);
    expect((await bed.ask(outsider, { method: 'info', params: {} })).body).to.deep.include({
      timestamp: owner.nowMs,
    });
  });
});
