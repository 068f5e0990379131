import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { systemClock } from '../../../harness/clock/index.ts';
import { bundled } from '../../node-kit/test/start-bundled.ts';
import { askNode, NodeTransport, nodeIdentity } from '../../session-kit/index.ts';
import { loopback } from '../../session-kit/test/in-process.ts';

const folder = (image: string): string => fileURLToPath(new URL(`../../${image}`, import.meta.url));

describe('registry and storage node as programs', function () {
  this.timeout(30_000);

  const programs: Awaited<ReturnType<typeof bundled>>[] = [];
  const client = new NodeTransport({ clock: systemClock(), handshakeTimeoutMs: 10_000 });
  after(async () => {
    client.close();
    for (const program of programs) {
      await program.stopNodes();
      program.remove();
    }
  });
  async function start(image: string, environment: Readonly<Record<string, string>>) {
    const program = await bundled(folder(image), 'main.ts');
    programs.push(program);
    const node = await program.start({ SQUALL_SEED: '7', ...environment });
    return { node, ready: node.event('ready') };
  }

  it('begin together in any order, take an epoch, a storm, a reset and a signal', async () => {
    const [here, there] = [loopback(101), loopback(102)];
    const storage = await start('session-storage', {
      SQUALL_NODE_NAME: 'storage-1',
      SQUALL_ROLE: 'storage',
      SQUALL_BIND: here,
      SQUALL_REGISTRY: `registry-1@${there}`,
      SQUALL_REGISTRY_RETRY_MS: '50',
    });
    const target = { ip: here, httpsPort: 22_021, ed25519: nodeIdentity('7', 'storage-1').ed25519 };
    const ask = (method: string) => askNode(client, target, { method, params: {} }, { timeoutMs: 10_000 });
    const registry = await start('session-registry', {
      SQUALL_NODE_NAME: 'registry-1',
      SQUALL_ROLE: 'registry',
      SQUALL_BIND: there,
      SQUALL_NODES: `storage-1@${here},storage-2@${loopback(103)}`,
      SQUALL_RESERVE: 'storage-2',
    });
    await Promise.all([registry.ready, storage.ready]);
    expect((await ask('info')).status).to.equal(200);
    expect((await storage.node.admin('GET', '/state')).body).to.deep.include({ swarm: '1', nodes: 1 });

    await registry.node.admin('POST', '/epoch', { change: 'join', node: 'storage-2', swarm: '1' });
    const changed = await storage.node.until((line) => line.event === 'view.changed' && line['joined'] === 1);
    expect(changed['swarm']).to.equal('1');

    expect(await storage.node.admin('POST', '/storm', { on: true, redirect: 'unheard-of' })).to.deep.include({
      status: 400,
    });
    expect((await storage.node.admin('POST', '/storm', { on: true, redirect: 'none' })).body).to.deep.include(
      { on: true },
    );
    await storage.node.admin('POST', '/reset');
    await storage.node.until((line) => line.event === 'ready' && line['epoch'] === 1);
    expect((await storage.node.admin('GET', '/storm')).body).to.deep.include({ on: false, answered: 0 });
    storage.node.signal('SIGTERM');
    expect(await storage.node.exit).to.equal(0);
  });
});
