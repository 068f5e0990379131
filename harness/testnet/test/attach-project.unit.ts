import { expect } from 'chai';
import { FakeEngine } from '../../engine/index.ts';
import { connectFakeAgent, FakeAgent } from '../../fault/index.ts';
import type { Bed } from '../bed.ts';
import { attachProject } from '../index.ts';

const NETWORK = 'shop_default';

/** What `docker-compose ps` would show: two web servers, a store that has ended, and one in the host's own network. */
async function shop() {
  const engine = new FakeEngine();
  engine.addImage('shop/web:1.2');
  const network = await engine.createNetwork({
    name: NETWORK,
    subnet: '172.20.0.0/16',
    gateway: '172.20.0.1',
    labels: {},
  });
  const start = async (service: string, number: number, more: Readonly<Record<string, string>> = {}) => {
    const name = `shop_${service}_${number}`;
    const id = await engine.createContainer({
      name,
      hostname: name,
      image: 'shop/web:1.2',
      environment: {},
      labels: {
        'com.docker.compose.project': 'shop',
        'com.docker.compose.service': service,
        'com.docker.compose.container-number': String(number),
        ...more,
      },
      network:
        service === 'metrics' ? 'none' : { id: network, address: `172.20.0.${number + 1}`, aliases: [] },
    });
    await engine.startContainer(id);
    return id;
  };
  const web = [await start('web_server', 1), await start('web_server', 2)] as const;
  const store = await start('store', 7);
  await engine.killContainer(store, 'SIGKILL');
  await start('metrics', 8);
  await start('web_server', 9, { 'com.docker.compose.oneoff': 'True' });
  const fake = new FakeAgent();
  const agent = await connectFakeAgent(fake);
  const told: string[] = [];
  const attach = async (project = 'shop'): Promise<Bed> =>
    await attachProject({
      engine,
      agent,
      project,
      runId: 'run',
      bedId: 'shop',
      onProgress: ({ text }) => told.push(text),
    });
  return { engine, fake, web, attach, told };
}

describe('a compose project that is adopted', () => {
  it('has its running containers as nodes, named after their services, and says which it left out', async () => {
    const { attach, told, web } = await shop();
    await using bed = await attach();
    expect(bed.nodes().map(({ name, role, containerId }) => ({ name, role, containerId }))).to.deep.equal([
      { name: 'web-server-1', role: 'web-server', containerId: web[0] },
      { name: 'web-server-2', role: 'web-server', containerId: web[1] },
    ]);
    expect(bed.select('web-server[2]', 'seed')).to.deep.equal(['web-server-2']);
    expect(told.filter((text) => text.startsWith('left out')).sort()).to.deep.equal([
      'left out: container shop_metrics_8: has no address of its own (it shares a network namespace, or has none)',
      'left out: container shop_store_7: does not run',
      'left out: container shop_web_server_9: was started for one command alone',
    ]);
  });

  it('takes network faults, which are lifted when it is let go; its containers are as they were', async () => {
    const { engine, fake, attach, web } = await shop();
    const containers = await engine.listContainers([]);
    const bed = await attach();
    const plan = bed.faults.plan({ kind: 'drop', id: 'cut', on: 'web-server-1', seed: '7' });
    await bed.faults.apply([plan], new AbortController().signal);
    expect(await bed.faults.list()).to.have.length(1);
    const before = engine.calls.length;
    await bed.remove();
    expect(fake.requests.map(({ op }) => op)).to.include.members(['lift', 'bye']);
    expect(engine.calls.slice(before)).to.deep.equal([]);
    expect(await engine.listContainers([])).to.deep.equal(containers);
    for (const id of web)
      expect(await engine.inspectContainer(id)).to.include({ running: true, paused: false });
  });

  for (const kind of ['pause', 'kill', 'stop', 'restart', 'disk-full', 'reset'] as const) {
    it(`takes no ${kind}, whose undo would be lost with the harness`, async () => {
      const { attach } = await shop();
      await using bed = await attach();
      expect(() => bed.faults.plan({ kind, on: 'web-server-1', seed: '7' })).to.throw(
        new RegExp(`fault ${kind}: .*takes those of the packet agent only`),
      );
    });
  }

  it('is never begun anew', async () => {
    const { engine, attach } = await shop();
    await using bed = await attach();
    const before = engine.calls.length;
    const refused = await bed.reset('*').catch((error: unknown) => error);
    expect(refused).to.include({ code: 'bed-attached', blame: 'input' });
    expect(engine.calls.slice(before)).to.deep.equal([]);
  });

  it('must be there: the projects that are there are named', async () => {
    const { attach } = await shop();
    const refused = await attach('shopp').catch((error: unknown) => error);
    expect(refused).to.include({ code: 'no-such-project', hint: 'There are: shop.' });
  });

  it('is let go when it cannot be attached as a whole', async () => {
    const { engine, fake, attach } = await shop();
    fake.refuse.set('enroll', 'no-such-process');
    const containers = await engine.listContainers([]);
    const refused = await attach().catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(Error);
    expect(fake.requests.map(({ op }) => op)).to.include('bye');
    expect(await engine.listContainers([])).to.deep.equal(containers);
  });
});
