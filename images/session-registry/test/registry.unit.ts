import { expect } from 'chai';
import { SquallError } from '../../../harness/errors/index.ts';
import { identityOf } from '../../../harness/identity/index.ts';
import { stream } from '../../../harness/random/index.ts';
import type { RunningNode } from '../../node-kit/index.ts';
import {
  INVALID_SWARM_ID,
  NodeTransport,
  nodeIdentity,
  parseJson,
  parseNetworkList,
  parseNodeRecords,
  personalAccount,
  SwarmMap,
} from '../../session-kit/index.ts';
import { loopback, nodeContext, type Told, testClock, until } from '../../session-kit/test/in-process.ts';
import { applyChange } from '../change.ts';
import { firstNetwork, type NetworkPlan } from '../first-network.ts';
import image from '../image.json' with { type: 'json' };
import type { Network } from '../network.ts';
import { startRegistry } from '../registry.ts';

const names = Array.from({ length: 12 }, (_, index) => `storage-${index + 1}`);
const plan: NetworkPlan = {
  nodes: names.map((name, index) => `${name}@198.18.${index}.1`),
  reserve: ['storage-12'],
  unproven: [],
  swarmSize: 3,
  swarmIds: 'spread',
  seed: '7',
  facts: { httpsPort: 22_021, omqPort: 22_020, version: [2, 12, 0] },
};
const account = personalAccount(identityOf('7', 'anna'));
const first = (more: Partial<NetworkPlan> = {}): Network =>
  firstNetwork({ ...plan, ...more }, stream('7', 'ids'));

function sizes(network: Network): Record<string, number> {
  return Object.fromEntries([...network.swarms()].map(([label, { members }]) => [label, members.length]));
}

describe('the network and its epochs', () => {
  it('begins with swarms filled in order, the last with what is left over, ids spread over the ring', () => {
    const network = first();
    expect(sizes(network)).to.deep.equal({ 1: 3, 2: 3, 3: 5 });
    const ids = [...network.swarms().values()].map(({ id }) => id);
    expect(ids).to.deep.equal([
      2n ** 64n / 3n / 2n,
      2n ** 64n / 3n + 2n ** 64n / 3n / 2n,
      (2n ** 64n / 3n) * 2n + 2n ** 64n / 3n / 2n,
    ]);
    expect(network.list()).to.have.length(11);
    const seeded = [...first({ swarmIds: 'seeded' }).swarms().values()].map(({ id }) => id);
    expect(seeded).to.deep.equal([...first({ swarmIds: 'seeded' }).swarms().values()].map(({ id }) => id));
    expect(new Set(seeded).size).to.equal(3);
  });

  it('scatters the members of a dissolved swarm and sends merged ones to one place', () => {
    const network = first();
    applyChange(network, { change: 'dissolve', swarm: '3' });
    expect(sizes(network)).to.deep.equal({ 1: 6, 2: 5 });
    applyChange(network, { change: 'merge', swarm: '1', into: '2' });
    expect(sizes(network)).to.deep.equal({ 2: 11 });
    expect(() => applyChange(network, { change: 'dissolve', swarm: 2 })).to.throw('the only swarm');
  });

  it('splits a swarm so that the account goes to the new one', () => {
    const network = first();
    const label = network.labelOf(account) as string;
    const before = network.swarms().get(label)?.members ?? [];
    const facts = applyChange(network, { change: 'split', swarm: label, account: account.id });
    expect(network.labelOf(account)).to.equal(facts['created']);
    const [stayed, went] = [label, String(facts['created'])].map((one) => network.swarms().get(one)?.members);
    expect([...(stayed ?? []), ...(went ?? [])]).to.deep.equal(before);
  });

  it('moves one account to another swarm, whose id becomes its position', () => {
    const network = first();
    const from = network.labelOf(account);
    const to = ['1', '2', '3'].find((label) => label !== from) as string;
    applyChange(network, { change: 'move', account: account.id, to });
    expect(network.labelOf(account)).to.equal(to);
    expect(network.swarms().get(to)?.id).to.equal(account.position);
    expect(sizes(network)).to.deep.equal({ 1: 3, 2: 3, 3: 5 });
  });

  it('moves an account back and on again, however often, and each time its swarm of before is gone', () => {
    const network = first();
    const labels = ['2', '1', '3', '1', '2', '1'].filter(
      (label, turn) => turn > 0 || label !== network.labelOf(account),
    );
    for (const to of labels) {
      const from = network.labelOf(account) as string;
      const before = network.swarms().get(from)?.id;
      applyChange(network, { change: 'move', account: account.id, to });
      expect(network.labelOf(account)).to.equal(to);
      const ids = [...network.swarms().values()].map(({ id }) => id);
      expect(new Set(ids).size).to.equal(3);
      if (before === account.position) expect(ids).to.not.include(before);
      expect(sizes(network)).to.deep.equal({ 1: 3, 2: 3, 3: 5 });
    }
    expect([...network.swarms().keys()]).to.deep.equal(['1', '2', '3']);
  });

  it('lets nodes join, leave, move, and be decommissioned and taken back', () => {
    const network = first();
    applyChange(network, { change: 'join', node: 'storage-12', swarm: '1' });
    applyChange(network, { change: 'leave', node: 'storage-1' });
    applyChange(network, { change: 'move', node: 'storage-2', to: '2' });
    applyChange(network, { change: 'decommission', node: 'storage-3' });
    expect(sizes(network)).to.deep.equal({ 1: 1, 2: 4, 3: 5 });
    const gone = network.list().find(({ ed25519 }) => ed25519 === nodeIdentity('7', 'storage-3').ed25519);
    expect(gone?.swarmId).to.equal(INVALID_SWARM_ID);
    applyChange(network, { change: 'recommission', node: 'storage-3', swarm: '1' });
    applyChange(network, { change: 'prove', node: 'storage-3', proven: false });
    expect(network.list().find(({ ed25519 }) => ed25519 === gone?.ed25519)).to.include({
      ip: '0.0.0.0',
      httpsPort: 0,
    });
    expect(network.list()).to.have.length(11);
  });

  it('forms a swarm of nodes from anywhere, and rearranges all with members who stay everywhere', () => {
    const network = first();
    const facts = applyChange(network, {
      change: 'form',
      nodes: ['storage-1', 'storage-4', 'storage-7'],
      account: account.id,
    });
    expect(network.labelOf(account)).to.equal(facts['created']);
    const before = network.swarms();
    applyChange(network, { change: 'rearrange', share: 0.5 });
    for (const [label, { members }] of network.swarms()) {
      const stayed = members.filter((name) => before.get(label)?.members.includes(name));
      expect(stayed.length, label).to.be.above(0);
      expect(stayed.length, label).to.be.below(members.length);
    }
  });

  it('refuses with words what it cannot do', () => {
    const cases: readonly (readonly [unknown, RegExp])[] = [
      [undefined, /no object/],
      [{ change: 'explode' }, /expected one of dissolve/],
      [{ change: 'constructor' }, /expected one of dissolve/],
      [{ change: 'dissolve' }, /'swarm' missing; it takes swarm/],
      [{ change: 'dissolve', swarm: '9' }, /there is none; expected one of 1, 2, 3/],
      [{ change: 'join', node: 'storage-1', swarm: '1' }, /is registered/],
      [{ change: 'leave', node: 'storage-12' }, /not registered/],
      [{ change: 'move', account: 'x', to: '1' }, /66 hexadecimal/],
      [{ change: 'rearrange', share: 2 }, /above 0/],
      [{ change: 'merge', swarm: '1', into: '1' }, /into itself/],
    ];
    for (const [body, text] of cases) {
      expect(() => applyChange(first(), body)).to.throw(SquallError, text);
    }
  });
});

describe('the registry', () => {
  const clock = testClock();
  let running: RunningNode;
  let told: Told[];
  let transport: NodeTransport;
  const target = { ip: loopback(200), httpsPort: 22_443, ed25519: nodeIdentity('7', 'registry-1').ed25519 };

  before(async () => {
    const made = nodeContext(
      image,
      { name: 'registry-1', role: 'registry', address: target.ip, clock },
      { SQUALL_NODES: plan.nodes.join(','), SQUALL_RESERVE: 'storage-12', SQUALL_SWARM_SIZE: '3' },
    );
    told = made.told;
    running = await startRegistry(made.context);
    transport = new NodeTransport({ clock, handshakeTimeoutMs: 5_000 });
  });
  after(async () => {
    transport.close();
    await running.stop?.();
  });

  const post = (path: string, body: unknown) =>
    transport.request(target, path, JSON.stringify(body), { timeoutMs: 5_000 });
  const listOf = async (params: unknown) => {
    const { body } = await post('/json_rpc', { method: 'get_service_nodes', params });
    return parseNetworkList((parseJson(body, { bigIntegers: 'text' }) as { result: unknown }).result);
  };
  const admin = (request: string, body: unknown) => running.handlers?.[request]?.(body);

  it('gives its list until it is known, the newest epoch at once', async () => {
    const list = await listOf({});
    expect(list?.nodes).to.have.length(11);
    expect(new SwarmMap(list?.nodes ?? []).ids).to.have.length(3);
    expect(await listOf({ poll_block_hash: list?.blockHash })).to.equal(undefined);
    expect((await listOf({ limit: 4 }))?.nodes).to.have.length(4);
    expect(await admin('POST /epoch', { change: 'dissolve', swarm: '3' })).to.deep.include({ status: 200 });
    const next = await listOf({ poll_block_hash: list?.blockHash });
    expect(next?.height).to.equal((list?.height ?? 0) + 1);
    expect([...(next?.labels.values() ?? [])]).to.deep.equal(['1', '2']);
    expect(told.filter(({ event }) => event === 'epoch.changed')).to.deep.equal([
      { event: 'epoch.changed', epoch: 1, change: 'dissolve', swarm: '3', swarms: 2, nodes: 11 },
    ]);
  });

  it('holds what asks for the next list until there is one, and forgets who has gone', async () => {
    const list = await listOf({});
    const asking = listOf({ poll_block_hash: list?.blockHash, hold: true });
    const leaving = new NodeTransport({ clock, handshakeTimeoutMs: 5_000 });
    const body = JSON.stringify({
      method: 'get_service_nodes',
      params: { poll_block_hash: list?.blockHash, hold: true },
    });
    const gone = leaving.request(target, '/json_rpc', body, { timeoutMs: 5_000 }).catch(() => 'gone');
    await until(() => running.state?.()['waiting'] === 2);
    leaving.close();
    expect(await gone).to.equal('gone');
    await until(() => running.state?.()['waiting'] === 1);
    await admin('POST /epoch', { change: 'join', node: 'storage-12', swarm: '1' });
    expect((await asking)?.nodes).to.have.length(12);
    await admin('POST /epoch', { change: 'leave', node: 'storage-12' });
  });

  it('leaves everything as it was when a change cannot be made', async () => {
    const before = running.state?.();
    expect(await admin('POST /epoch', { change: 'leave', node: 'nobody' })).to.deep.include({ status: 400 });
    expect(running.state?.()).to.deep.equal(before);
  });

  it('is a seed node for clients, with 51 bytes a node', async () => {
    const answer = await post('/storage_rpc/v1', { method: 'active_nodes_bin', params: {} });
    expect(answer.type).to.equal('application/octet-stream');
    expect(parseNodeRecords(answer.body)).to.have.length(11);
    expect((await post('/storage_rpc/v1', { method: 'store', params: {} })).status).to.equal(400);
  });

  it('says who has an account, and refuses nonsense with 400 and 404', async () => {
    const answer = (await admin('POST /account', { account: account.id })) as { body: { members: string[] } };
    expect(answer.body.members).to.have.length.above(3);
    for (const body of ['x', '[]', '{"method":7}', '['.repeat(100)]) {
      expect((await transport.request(target, '/json_rpc', body, { timeoutMs: 5_000 })).status).to.equal(400);
    }
    expect((await post('/nowhere', {})).status).to.equal(404);
  });
});
