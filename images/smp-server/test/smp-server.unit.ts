import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { systemClock } from '../../../harness/clock/index.ts';
import { type BundledNode, bundled } from '../../node-kit/test/start-bundled.ts';
import { forwardCommand, parseServerAddress, requestProxiedRelay } from '../../smp-kit/index.ts';
import { newQueue, SEED, SOON_MS, send, TestBed } from './in-process.ts';

describe('the program of an SMP server', function () {
  this.timeout(30_000);

  let program: Awaited<ReturnType<typeof bundled>>;
  const bed = new TestBed(systemClock());
  before(async () => {
    program = await bundled(fileURLToPath(new URL('..', import.meta.url)), 'main.ts');
  });
  after(async () => {
    await bed.close();
    await program.stopNodes();
    program.remove();
  });

  const start = (name: string, address: string, more: Readonly<Record<string, string>> = {}) =>
    program.start({
      SQUALL_NODE_NAME: name,
      SQUALL_ROLE: name.split('-')[0] ?? '',
      SQUALL_BIND: address,
      SQUALL_SEED: SEED,
      ...more,
    });
  const stateOf = async (node: BundledNode) => (await node.admin('GET', '/state')).body;

  it('serves on port 5223 as whom seed and name make it, and hands on to another of its kind', async () => {
    const [relay, proxy] = [await start('relay-1', '127.0.0.30'), await start('proxy-1', '127.0.0.31')];
    await Promise.all([relay.event('ready'), proxy.event('ready')]);
    const relayAddress = parseServerAddress('relay-1@127.0.0.30', SEED);
    const recipient = await bed.connect(relayAddress);
    const queue = await newQueue(recipient);
    const client = await bed.connect(parseServerAddress('proxy-1@127.0.0.31', SEED));
    const route = await requestProxiedRelay(client, relayAddress, { timeoutMs: SOON_MS });
    const options = { entityId: queue.senderId, timeoutMs: SOON_MS };
    const answer = await forwardCommand(client, route, send('x'), options);
    expect(answer).to.deep.equal({ from: 'relay', message: { tag: 'OK' } });

    const connected = await relay.until(
      ({ event, proxy: isProxy }) => event === 'client.connected' && isProxy === true,
    );
    expect(connected['from'], 'a proxy connects from its own address').to.match(/^127\.0\.0\.31:/);
    expect(await stateOf(relay)).to.deep.include({ queues: 1, messages: 1, clients: 2 });
    expect((await stateOf(proxy))['relays']).to.deep.equal([
      { relay: '127.0.0.30:5223', status: 'connected', pendingCount: 0, timeoutsInRow: 0 },
    ]);
    expect((await proxy.event('forward.answered'))['result']).to.equal('ok');

    // A reset ends the sessions and forgets the queues.
    await relay.admin('POST', '/reset');
    await proxy.event('relay.closed');
    await relay.event('ready', relay.lines.indexOf(await relay.event('resetting')));
    expect(await stateOf(relay)).to.deep.include({ queues: 0, messages: 0, clients: 0 });
  });
});
