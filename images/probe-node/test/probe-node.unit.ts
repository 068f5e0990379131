import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { analyseHistory, type HistoryEvent } from '../../../harness/workload/index.ts';
import { type BundledNode, bundled } from '../../node-kit/test/start-bundled.ts';

/** Events of nodes as a record has them. */
function recorded(...nodes: readonly BundledNode[]): HistoryEvent[] {
  return nodes.flatMap((node) =>
    node.lines.map(({ event, monoNs, seq: _, ...fields }) => ({ node: 'n', event, atNs: monoNs, fields })),
  );
}

describe('the probe node', function () {
  this.timeout(30_000);

  let program: Awaited<ReturnType<typeof bundled>>;
  before(async () => {
    program = await bundled(fileURLToPath(new URL('..', import.meta.url)), 'main.ts');
  });
  afterEach(async () => program.stopNodes());
  after(() => program.remove());

  const startRelay = (more: Readonly<Record<string, string>> = {}) =>
    program.start({
      SQUALL_NODE_NAME: 'relay-1',
      SQUALL_ROLE: 'relay',
      SQUALL_BIND: '127.0.0.10',
      SQUALL_PORT: '15223',
      SQUALL_SEED: '7',
      ...more,
    });
  const startClients = (more: Readonly<Record<string, string>> = {}) =>
    program.start({
      SQUALL_NODE_NAME: 'client-1',
      SQUALL_ROLE: 'client',
      SQUALL_BIND: '127.0.0.20',
      SQUALL_FLEET: '127.0.0.21,127.0.0.22,127.0.0.23',
      SQUALL_RELAYS: 'relay-1@127.0.0.10',
      SQUALL_PORT: '15223',
      SQUALL_SEED: '7',
      SQUALL_PER_SECOND: '60',
      SQUALL_RECONNECT_MS: '50',
      ...more,
    });
  /** Runs a load until so many messages are acknowledged, then stops it and lets what is under way arrive. */
  async function finishedLoad(clients: BundledNode, count: number): Promise<void> {
    let acknowledged = 0;
    await clients.until(({ event }) => event === 'operation.ok' && ++acknowledged >= count);
    const resumed = clients.lines.length;
    await clients.admin('POST', '/pause');
    await clients.event('load.paused', resumed);
  }
  /** What the relay has acknowledged may still be on its way to its receiver. */
  const allArrived = (clients: BundledNode) =>
    clients.until(() => analyseHistory(recorded(clients)).lost.length === 0);

  it('delivers what it acknowledges, over TLS, to clients with an address each', async () => {
    const relay = await startRelay();
    await relay.event('ready');
    const clients = await startClients();
    await finishedLoad(clients, 60);
    await allArrived(clients);
    const report = analyseHistory(recorded(clients));
    expect(report.ok).to.be.at.least(60);
    expect([report.lost, report.doubled, report.stray, report.problems]).to.deep.equal([[], [], [], []]);
    const from = relay.lines.filter((line) => line.event === 'client.connected').map((line) => line['from']);
    expect([...new Set(from)].sort()).to.deep.equal(['127.0.0.21', '127.0.0.22', '127.0.0.23']);
  });

  it('shows in the history what a forgetful relay loses and a repeating one doubles', async () => {
    for (const [variant, fault] of [
      ['forgetful', 'lost'],
      ['repeating', 'doubled'],
    ] as const) {
      const relay = await startRelay({ SQUALL_VARIANT: variant });
      await relay.event('ready');
      const clients = await startClients();
      await finishedLoad(clients, 60);
      if (variant === 'repeating') await allArrived(clients);
      const report = analyseHistory(recorded(clients));
      expect(report[fault].length, variant).to.be.above(5);
      expect(report[fault === 'lost' ? 'doubled' : 'lost'], variant).to.deep.equal([]);
      await program.stopNodes();
    }
  });

  it('answers 421 while a storm is on, on connections that were open before', async () => {
    const relay = await startRelay();
    await relay.event('ready');
    const clients = await startClients();
    await clients.event('operation.ok');
    await relay.admin('POST', '/storm', { on: true });
    await clients.until((line) => line['reason'] === 'answered 421');
    const { body } = await relay.admin('POST', '/storm', { on: false });
    expect((body['answers'] as Record<string, number>)['421']).to.be.above(0);
    await clients.event('operation.ok', clients.lines.length);
    expect(relay.lines.filter((line) => line.event === 'client.connected')).to.have.length(3);
  });

  it('comes back to a relay that was started anew, whose certificate is the same', async () => {
    const relay = await startRelay();
    await relay.event('ready');
    const clients = await startClients();
    await clients.event('operation.ok');
    const before = (await relay.admin('GET', '/state')).body['fingerprint'];
    await relay.admin('POST', '/reset');
    await relay.until((line) => line.event === 'ready' && line['epoch'] === 1);
    await clients.event('relay.connected', clients.lines.length);
    expect((await relay.admin('GET', '/state')).body['fingerprint']).to.equal(before);
  });

  it('does not believe a relay of another seed', async () => {
    const relay = await startRelay({ SQUALL_SEED: '8' });
    await relay.event('ready');
    const clients = await startClients();
    const refused = await clients.event('operation.failed');
    expect(refused['reason']).to.equal('not connected');
    expect(clients.lines.filter((line) => line.event === 'relay.connected')).to.deep.equal([]);
  });

  it('lets a leap expire what a relay keeps for a client that is away', async () => {
    const relay = await startRelay();
    await relay.event('ready');
    // One client alone: it sends to itself, and while it is paused nothing of it is connected.
    const clients = await startClients();
    await clients.event('operation.ok');
    clients.signal('SIGKILL');
    const orphan = await startClients({
      SQUALL_NODE_NAME: 'client-2',
      SQUALL_FLEET: '127.0.0.31',
      SQUALL_TO: 'client-1/1',
    });
    await orphan.event('operation.ok');
    await relay.admin('POST', '/clock', { leapMs: 3_600_000 });
    await relay.until((line) => line.event === 'message.expired' && line['to'] === 'client-1/1');
  });
});
