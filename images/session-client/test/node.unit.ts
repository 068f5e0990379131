import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { bundled } from '../../node-kit/test/start-bundled.ts';

describe('the client as a node', function () {
  this.timeout(30_000);

  let program: Awaited<ReturnType<typeof bundled>>;
  before(async () => {
    program = await bundled(fileURLToPath(new URL('..', import.meta.url)), 'main.ts');
  });
  after(async () => {
    await program.stopNodes();
    program.remove();
  });

  it('is a fleet with an address each, whose requests end although nobody is there', async () => {
    const node = await program.start({
      SQUALL_NODE_NAME: 'client-1',
      SQUALL_ROLE: 'client',
      SQUALL_BIND: '127.0.0.60',
      SQUALL_FLEET: '127.0.0.61,127.0.0.62',
      SQUALL_SEED: '7',
    });
    await node.event('ready');
    const { body } = await node.admin('GET', '/state');
    const clients = body['clients'] as readonly { readonly name: string; readonly address: string }[];
    expect(clients.map(({ name, address }) => [name, address])).to.deep.equal([
      ['client-1/1', '127.0.0.61'],
      ['client-1/2', '127.0.0.62'],
    ]);
    const sent = await node.admin('POST', '/send', { client: 2, method: 'store' });
    expect(sent.body['results']).to.deep.equal([{ ok: false }]);
    expect((await node.event('operation.unknown'))['reason']).to.match(/no swarm/);
    expect((await node.event('request.failed'))['client']).to.equal('client-1/2');
    expect((await node.admin('POST', '/send', { client: 3 })).status).to.equal(404);
    await node.admin('POST', '/suspend', {});
    const refused = await node.admin('POST', '/send', { client: 1, method: 'retrieve' });
    expect(refused.body['results']).to.have.length(1);
    node.signal('SIGTERM');
    expect(await node.exit).to.equal(0);
  });

  it('says which setting is wrong, and ends', async () => {
    const node = await program.start({ SQUALL_ROLE: 'client', SQUALL_SEEDS: 'nobody' });
    expect(await node.exit).not.to.equal(0);
  });
});
