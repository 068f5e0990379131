import { expect } from 'chai';
import {
  askNode,
  askOverPath,
  buildOnion,
  missingNode,
  nodeIdentity,
  openAnswer,
  outcomeOf,
  PATH,
  readRedirect,
} from '../../session-kit/index.ts';
import { loopback } from '../../session-kit/test/in-process.ts';
import { Bed, type Owner, ownerIn } from './bed.ts';

describe('onion requests over storage nodes', function () {
  this.timeout(30_000);

  let bed: Bed;
  let owner: Owner;
  let members: readonly string[];
  before(async () => {
    bed = await Bed.start({
      count: 6,
      swarmSize: 3,
      environments: { 'storage-6': { SQUALL_STAND_FOR: 'storage-1:22101' } },
    });
    owner = await ownerIn(bed, '1');
    members = await bed.members(owner.account);
  });
  after(() => bed.stop());
  afterEach(async () => {
    for (const name of bed.nodes.keys()) await bed.admin(name, 'POST /storm', { on: false });
  });

  const target = (name: string) => bed.node(name).target;
  const over = (path: readonly string[], to: string, request: Parameters<typeof bed.ask>[1]) =>
    askOverPath(bed.client, path.map(target), target(to), request, { timeoutMs: 60_000 });

  it('reach their destination over two others, whose answer only the client can read', async () => {
    const outcome = await over(['storage-4', 'storage-5'], members[0] as string, owner.store('over a path'));
    if (!outcome.authentic) throw new Error('expected an authentic answer');
    expect(outcome.answer.status).to.equal(200);
    const retrieved = await over([], members[1] as string, owner.signed('retrieve'));
    expect(retrieved).to.deep.include({ authentic: true });
    expect(bed.state('storage-4')['relayed']).to.deep.equal({ 200: 1 });
    const clients = (await bed.admin(members[0] as string, 'GET /counts'))[members[0] as string] as {
      clients: object;
    };
    expect(Object.keys(clients.clients)).to.deep.equal([target('storage-5').ip]);
  });

  it('bring a 421 back inside an outer 200, also inside a batch', async () => {
    const wrong = await over(['storage-1', 'storage-2'], 'storage-4', owner.store('x'));
    if (!wrong.authentic) throw new Error('expected an authentic answer');
    expect(wrong.answer.status).to.equal(421);
    expect([...readRedirect(wrong.answer.body).nodes].sort()).to.deep.equal(
      members.map((name) => target(name).ed25519).sort(),
    );
    const batch = await over(['storage-1'], 'storage-4', {
      method: 'batch',
      params: { requests: [owner.store('x'), owner.signed('retrieve')] },
    });
    if (!batch.authentic) throw new Error('expected an authentic answer');
    expect(
      (batch.answer.body as { results: { code: number }[] }).results.map(({ code }) => code),
    ).to.deep.equal([421, 421]);
  });

  it('come back in plain text from a relay that does not know the next node, or lies', async () => {
    const nobody = { ...target('storage-4'), ed25519: 'ab'.repeat(32) };
    const lost = await askOverPath(bed.client, [target('storage-1')], nobody, owner.store('x'), {
      timeoutMs: 60_000,
    });
    if (lost.authentic) throw new Error('expected a relay’s answer');
    expect([lost.status, missingNode(lost.text)]).to.deep.equal([502, 'ab'.repeat(32)]);
    for (const status of [421, 406, 425]) {
      await bed.admin('storage-4', 'POST /storm', { on: true, at: ['relay'], status, redirect: 'honest' });
      const forged = await over(['storage-5', 'storage-4'], members[0] as string, owner.store('x'));
      expect(forged).to.deep.include({ authentic: false, status });
      // It is honest as a destination.
      expect(await over([], 'storage-4', { method: 'info', params: {} })).to.deep.include({
        authentic: true,
      });
    }
    expect(await bed.admin('storage-4', 'GET /storm')).to.deep.include({ on: true, answered: 3 });
  });

  it('go on to a server outside, which answers sealed with the status it was told to', async () => {
    const server = nodeIdentity('7', 'registry-1');
    await bed.admin('registry', 'POST /server', { status: 425, body: 'clock' });
    const onion = buildOnion(
      Buffer.from('{}'),
      {
        kind: 'server',
        x25519: server.x25519Key.publicKey,
        protocol: 'https',
        host: loopback(240),
        port: 22_443,
        target: '/oxen/v4/lsrpc',
      },
      [target('storage-1'), target('storage-2')],
    );
    const answer = await bed.client.request(target('storage-1'), PATH.onion, onion.body, {
      timeoutMs: 60_000,
    });
    expect(openAnswer(answer.body, onion.answerKey)).to.deep.equal({ status: 425, body: 'clock' });
    const other = buildOnion(
      Buffer.from('{}'),
      {
        kind: 'server',
        x25519: server.x25519Key.publicKey,
        protocol: 'https',
        host: loopback(240),
        port: 22_443,
        target: '/etc/passwd',
      },
      [target('storage-1')],
    );
    const refused = await bed.client.request(target('storage-1'), PATH.onion, other.body, {
      timeoutMs: 60_000,
    });
    expect(outcomeOf(refused, other).authentic).to.equal(false);
  });

  it('end with 400 for what is no onion request, and with 504 when a node on the way does not answer', async () => {
    for (const body of [Buffer.alloc(3), Buffer.alloc(200, 1)]) {
      expect(
        (await bed.client.request(target('storage-1'), PATH.onion, body, { timeoutMs: 60_000 })).status,
      ).to.equal(400);
    }
    const away = bed.node('storage-5');
    await away.running.stop?.();
    const outcome = await over(['storage-1', 'storage-5'], members[0] as string, owner.store('x'));
    expect(outcome).to.deep.include({ authentic: false, status: 504 });
    await bed.restart('storage-5');
  });

  it('are the victim’s, by its keys, at the port of a node that stands for it', async () => {
    const victim = { ...target('storage-1'), ip: target('storage-6').ip, httpsPort: 22_101 };
    expect(
      (await askNode(bed.client, victim, owner.signed('retrieve'), { timeoutMs: 60_000 })).status,
    ).to.equal(200);
    await bed.admin('storage-6', 'POST /storm', { on: true, as: 'storage-1', redirect: 'none' });
    const answer = await askNode(bed.client, victim, owner.signed('retrieve'), { timeoutMs: 60_000 });
    expect([answer.status, readRedirect(answer.body).nodes]).to.deep.equal([421, []]);
    const path = await askOverPath(bed.client, [], victim, owner.signed('retrieve'), { timeoutMs: 60_000 });
    expect(path.authentic && path.answer.status).to.equal(421);
  });
});
