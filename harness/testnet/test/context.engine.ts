import { expect } from 'chai';
import { type Engine, engineAddress, findEngine } from '../../engine/index.ts';
import { startTlsFront, type TlsFront } from '../../engine/test/tls-front.ts';
import type { BedStatus } from '../bed-status.ts';
import { connectKeeper } from '../keeper-client.ts';
import { parseOwner } from '../owner.ts';
import { type KeeperUp, spawnKeeper } from '../spawn-keeper.ts';
import { freshName, isGone, memberTopology, testEngine, until } from './test-bed.ts';

/** The real engine behind TLS, known to a docker context alone: no environment names it or its certificates. */
describe('a bed on an engine that a context names, over TLS', function () {
  this.timeout(180_000);
  const bedId = freshName('context');
  let engine: Engine;
  let front: TlsFront;
  let up: KeeperUp;
  before(async () => {
    engine = await testEngine();
    front = await startTlsFront(engine.info.endpoint.replace('unix://', ''));
    const found = await findEngine({ environment: { DOCKER_CONFIG: front.dockerConfig, HOME: '/nowhere' } });
    found.close();
    expect(found.info).to.include({ origin: 'context', endpoint: front.endpoint, host: 'this' });
    const order = { runId: bedId, bedId, seed: 'test', topology: memberTopology(2) };
    up = await spawnKeeper({ ...engineAddress(found.info), ...order });
  });
  after(async () => {
    await front[Symbol.asyncDispose]();
    engine.close();
  });

  it('is started and served by its keeper', async () => {
    using client = await connectKeeper({ bed: bedId });
    const { nodes } = (await client.request('status')) as BedStatus;
    expect(nodes.map(({ container }) => container)).to.deep.equal(['running', 'running']);
  });

  it('has a Toxiproxy of its own', async () => {
    using client = await connectKeeper({ bed: bedId });
    const link = { from: 'member-1', to: 'member-2', ports: [7946] };
    const request = { kind: 'slow', ...link, settings: { latencyMs: 1 }, mustShow: {} };
    const { plan } = (await client.request('fault.apply', { request })) as { plan: { id: string } };
    const { lifted } = (await client.request('fault.lift', { id: plan.id })) as {
      lifted: { gone: boolean }[];
    };
    expect(lifted[0]).to.include({ gone: true });
  });

  it('is swept by its watchdog when the keeper is killed', async () => {
    const keeper = parseOwner(up.owner);
    expect(keeper).to.not.equal(undefined);
    process.kill(keeper?.pid ?? 0, 'SIGKILL');
    await until(() => isGone(engine, 'run', bedId));
  });
});
