import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { ensureImage } from '../../image/index.ts';
import type { FaultRecord } from '../../record/index.ts';
import { type FaultRequest, type ToxiproxyServer, ToxiproxySupply } from '../index.ts';
import { never } from './fake-bed.ts';
import { type RealBed, startRealBed } from './real-bed.ts';

/** A bed whose `toxiproxy()` starts the real server. */
async function bedWithToxiproxy(nodes: number): Promise<{ bed: RealBed; supply: ToxiproxySupply }> {
  let supply: ToxiproxySupply | undefined;
  const bed: RealBed = await startRealBed({
    nodes,
    overrides: () => ({ toxiproxy: () => (supply as ToxiproxySupply).get() }),
  });
  const { engine, agent, networkId, labels, port } = bed;
  supply = new ToxiproxySupply({
    engine,
    agent,
    networkId,
    labels,
    bedId: port.bedId,
    image: async () => (await ensureImage(engine, { kind: 'ours', name: 'toxiproxy' })).reference,
  });
  return { bed, supply };
}

describe('Toxiproxy faults on real containers', function () {
  this.timeout(240_000);
  let bed: RealBed;
  let supply: ToxiproxySupply;

  before(async () => {
    ({ bed, supply } = await bedWithToxiproxy(3));
  });
  after(async () => {
    await supply.close();
    await bed.remove();
  });
  afterEach(async () => {
    await bed.board.liftAll();
    const server = await supply.get();
    const own = [...(await server.proxies()).keys()].filter((name) => !name.includes('.link.'));
    expect(own).to.deep.equal([]);
  });

  /** Applies a fault on node-1's connections to node-2, acts, lifts, and returns its record. */
  async function under(
    request: Omit<FaultRequest, 'seed' | 'from' | 'to' | 'ports'>,
    act: () => Promise<void>,
  ): Promise<FaultRecord> {
    const link = { from: 'node-1', to: 'node-2', ports: [7001] };
    const [applied] = await bed.board.apply([bed.board.plan({ seed: 's', ...link, ...request })], never());
    await act();
    await bed.board.lift(applied!.plan.id);
    const record = await applied!.lifted;
    expect(record.problems).to.deep.equal([]);
    expect(record).to.include({ bit: true, gone: true });
    expect(await bed.connect('node-1', 'node-2')).to.include({ echoed: 64, error: '' });
    return record;
  }

  it('is reached on its loopback alone: no node gets to the control port', async () => {
    const server = await supply.get();
    const { containerId } = await bed.port.toxiproxy();
    expect(containerId).to.equal(server.containerId);
    expect(server.version).to.equal('2.12.0');
    expect(server.hasHoleAfter).to.equal(true);
    expect(await bed.connectTo('node-1', `${server.address}:8474`)).to.include({
      connected: false,
      error: 'refused',
    });
  });

  it('blackhole-stream: connect succeeds, then every byte vanishes', async () => {
    const record = await under({ kind: 'blackhole-stream' }, async () => {
      const seen = await bed.connect('node-1', 'node-2', { timeoutMs: 600 });
      expect(seen).to.include({ connected: true, echoed: 0, error: 'timeout' });
      expect(await bed.connect('node-3', 'node-2')).to.include({ echoed: 64 });
      expect(await bed.connect('node-1', 'node-3')).to.include({ echoed: 64 });
    });
    expect(record.witness).to.include({ source: 'toxiproxy' });
    expect(record.witness?.perNode?.['node-1']).to.include({ redirected: 1, crossedBytes: 64 });
  });

  it('blackhole-after: each connection passes its first bytes, then nothing, reconnects included', async () => {
    const record = await under({ kind: 'blackhole-after', settings: { bytes: 100 } }, async () => {
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const seen = await bed.connect('node-1', 'node-2', { bytes: 1_000, timeoutMs: 500 });
        expect(seen).to.include({ connected: true, echoed: 100, error: 'timeout' });
      }
    });
    expect(record.witness?.counts).to.include({ redirected: 2, swallowedBytes: 1_800 });
  });

  it('refuse', async () => {
    await under({ kind: 'refuse' }, async () => {
      expect(await bed.connect('node-1', 'node-2')).to.include({ connected: false, error: 'refused' });
    });
  });

  it('reset: over when it is over, and a new connection is proven', async () => {
    await under({ kind: 'reset' }, async () => {
      expect(await bed.connect('node-1', 'node-2')).to.include({ connected: true, error: 'reset' });
    });
  });

  it('slow', async () => {
    await under({ kind: 'slow', settings: { latencyMs: 200 } }, async () => {
      const seen = await bed.connect('node-1', 'node-2', { timeoutMs: 3_000 });
      expect(seen).to.include({ echoed: 64 });
      expect(seen.tookMs).to.be.at.least(400);
    });
  });

  it('slice', async () => {
    const settings = { averageBytes: 8, variationBytes: 4, delayUs: 20_000, stream: 'upstream' };
    await under({ kind: 'slice', settings }, async () => {
      const seen = await bed.connect('node-1', 'node-2', { timeoutMs: 5_000 });
      expect(seen).to.include({ echoed: 64 });
      expect(seen.tookMs).to.be.at.least(60);
    });
  });

  it('limit', async () => {
    await under({ kind: 'limit', settings: { bytes: 40 } }, async () => {
      expect(await bed.connect('node-1', 'node-2')).to.include({ echoed: 40, error: 'closed' });
    });
  });

  it('throttle', async () => {
    const settings = { bytesPerSecond: '20KB', stream: 'downstream' };
    await under({ kind: 'throttle', settings }, async () => {
      const seen = await bed.connect('node-1', 'node-2', { bytes: 10_000, timeoutMs: 5_000 });
      expect(seen).to.include({ echoed: 10_000 });
      expect(seen.tookMs).to.be.at.least(300);
    });
  });

  it('compiles a share of nothing to no toxic', async () => {
    const link = { from: 'node-1', to: 'node-2', ports: [7001], seed: 's' };
    const plan = bed.board.plan({
      id: 'none',
      kind: 'slow',
      ...link,
      settings: { latencyMs: 500, shareRatio: 0 },
    });
    await bed.board.apply([plan], never());
    const toxics = [...(await (await supply.get()).proxies()).values()].flatMap((proxy) => proxy.toxics);
    expect(toxics.map((toxic) => toxic.name).filter((name) => name.startsWith('none'))).to.deep.equal([]);
    expect((await bed.connect('node-1', 'node-2')).tookMs).to.be.below(400);
  });

  it('lets no connection pass unharmed while it is being applied (incident 4)', async () => {
    const link = { from: 'node-1', to: 'node-2', ports: [7001], seed: 's' };
    let applied = false;
    const seen: { started: boolean; echoed: number }[] = [];
    const reconnecting = (async () => {
      while (seen.filter((each) => each.started).length < 3) {
        const started = applied;
        const { echoed } = await bed.connect('node-1', 'node-2', { timeoutMs: 150 });
        seen.push({ started, echoed });
      }
    })();
    await bed.board.apply([bed.board.plan({ kind: 'blackhole-stream', ...link })], never());
    applied = true;
    await reconnecting;
    expect(seen.filter((each) => each.started && each.echoed > 0)).to.deep.equal([]);
  });

  it('meets living connections on a standing link, and leaves them alive where nothing was lost', async () => {
    await bed.board.openLinks([{ from: ['node-3'], to: ['node-2'], port: 7001 }]);
    expect(await bed.open('node-3', 'node-2')).to.include({ connected: true });
    expect(await bed.talk('node-3', 'node-2')).to.include({ echoed: 64 });
    const link = { from: 'node-3', to: 'node-2', ports: [7001], seed: 's' };
    const settings = { latencyMs: 150 };
    const [slow] = await bed.board.apply([bed.board.plan({ kind: 'slow', ...link, settings })], never());
    expect((await bed.talk('node-3', 'node-2', { timeoutMs: 3_000 })).tookMs).to.be.at.least(300);
    await bed.board.lift(slow!.plan.id);
    expect(await slow!.lifted).to.include({ bit: true, gone: true });
    const after = await bed.talk('node-3', 'node-2');
    expect(after).to.include({ echoed: 64 });
    expect(after.tookMs).to.be.below(150);
    const [hole] = await bed.board.apply(
      [bed.board.plan({ kind: 'blackhole-after', ...link, settings: { bytes: 64 } })],
      never(),
    );
    expect(await bed.talk('node-3', 'node-2', { timeoutMs: 400 })).to.include({
      echoed: 0,
      error: 'timeout',
    });
    await bed.board.lift(hole!.plan.id);
    expect(await hole!.lifted).to.include({ bit: true, gone: true });
    expect(await bed.connect('node-3', 'node-2')).to.include({ echoed: 64 });
  });

  it('stand-in', async () => {
    await bed.board.openLinks([{ from: ['node-3'], to: ['node-2'], port: 7001 }]);
    expect(await bed.open('node-3', 'node-2')).to.include({ connected: true });
    expect(await bed.talk('node-3', 'node-2')).to.include({ echoed: 64 });
    const link = { from: 'node-3', to: 'node-2', ports: [7001], seed: 's' };
    const proxy = async () =>
      [...(await (await supply.get()).proxies()).values()].find(({ name }) => name.includes('.link.'));
    const home = (await proxy())?.upstream;
    const settings = { by: 'node-1', byPort: 7001 };
    const [impostor] = await bed.board.apply(
      [bed.board.plan({ kind: 'stand-in', ...link, settings })],
      never(),
    );
    expect((await proxy())?.upstream).to.equal(`${bed.node('node-1').address}:7001`);
    expect(await bed.talk('node-3', 'node-2')).to.include({ echoed: 0, error: 'closed' });
    expect(await bed.connect('node-3', 'node-2')).to.include({ echoed: 64 });
    expect(await bed.open('node-3', 'node-2')).to.include({ connected: true });
    await bed.board.lift(impostor!.plan.id);
    expect(await impostor!.lifted).to.include({ bit: true, gone: true });
    expect((await proxy())?.upstream).to.equal(home);
    expect(await bed.talk('node-3', 'node-2')).to.include({ echoed: 0, error: 'closed' });
    expect(await bed.connect('node-3', 'node-2')).to.include({ echoed: 64 });
  });

  it('ends a connection that was open before a reset with FIN, and those made under it with RST (incident 3)', async () => {
    await bed.board.openLinks([{ from: ['node-3'], to: ['node-2'], port: 7001 }]);
    expect(await bed.open('node-3', 'node-2')).to.include({ connected: true });
    expect(await bed.talk('node-3', 'node-2')).to.include({ echoed: 64 });
    const link = { from: 'node-3', to: 'node-2', ports: [7001], seed: 's' };
    const [reset] = await bed.board.apply([bed.board.plan({ kind: 'reset', ...link })], never());
    expect(await bed.talk('node-3', 'node-2')).to.include({ echoed: 0, error: 'closed' });
    expect(await bed.connect('node-3', 'node-2')).to.include({ echoed: 0, error: 'reset' });
    await bed.board.lift(reset!.plan.id);
    expect(await reset!.lifted).to.include({ bit: true, gone: true });
    expect(await bed.connect('node-3', 'node-2')).to.include({ echoed: 64 });
  });

  it('deletes a stale proxy of the same name with its toxics (incident 6)', async () => {
    const server = await supply.get();
    const spec = {
      name: 'stale',
      listenPort: 9_999,
      upstream: `${bed.node('node-2').address}:7001`,
      enabled: true,
    };
    const toxic = {
      name: 't',
      type: 'latency',
      stream: 'downstream',
      toxicity: 1,
      attributes: { latency: 60_000 },
    } as const;
    await server.createProxy({ ...spec, toxics: [toxic] });
    await server.createProxy({ ...spec, toxics: [] });
    expect((await server.proxies()).get('stale')?.toxics).to.deep.equal([]);
    expect(await server.removeProxiesOf('st')).to.deep.equal(['stale']);
  });
});

describe('a wedged Toxiproxy server', function () {
  this.timeout(240_000);
  let bed: RealBed;
  let supply: ToxiproxySupply;
  const link = { from: 'node-1', to: 'node-2', ports: [7002], seed: 's' };

  beforeEach(async () => {
    ({ bed, supply } = await bedWithToxiproxy(2));
    await bed.board.openLinks([{ from: ['node-1'], to: ['node-2'], port: 7002 }]);
  });
  afterEach(async () => {
    await supply.close();
    await bed.remove();
  });

  /** The server was replaced, the trial is void, and the standing link works through the new one. */
  async function expectReplaced(first: ToxiproxyServer): Promise<void> {
    expect(first.wedged?.code).to.equal('toxiproxy-wedged');
    expect(bed.board.voids().join()).to.match(/toxiproxy: wedged/);
    const second = await supply.get();
    expect(second.containerId).to.not.equal(first.containerId);
    expect((await bed.engine.inspectContainer(first.containerId))?.running ?? false).to.equal(false);
    expect(await bed.drink('node-1', 'node-2', 100_000)).to.deep.equal({ bytes: 100_000, error: '' });
    expect((await second.proxies()).size).to.equal(1);
  }

  it('is noticed when it answers nothing at all', async () => {
    const first = await supply.get();
    const plan = bed.board.plan({ kind: 'slow', ...link, settings: { latencyMs: 10 } });
    const [applied] = await bed.board.apply([plan], never());
    await bed.engine.pauseContainer(first.containerId);
    await bed.board.lift(applied!.plan.id);
    expect(await applied!.lifted).to.include({ bit: false });
    await expectReplaced(first);
  });

  it('is noticed when a toxic cannot be removed under a reader that has stopped reading (incident 1)', async () => {
    const first = await supply.get();
    expect(await bed.drink('node-1', 'node-2', 1_000_000)).to.include({ error: '' });
    const plan = bed.board.plan({
      kind: 'slow',
      ...link,
      settings: { latencyMs: 6_000, stream: 'downstream' },
    });
    const [slow] = await bed.board.apply([plan], never());
    const [pause] = await bed.board.apply(
      [bed.board.plan({ kind: 'pause', on: 'node-1', seed: 's' })],
      never(),
    );
    // Until the reader's buffers are full and the server's write to it stands.
    let crossed = -1;
    for (
      let now = await crossedBytes(slow!.plan.id);
      now !== crossed;
      now = await crossedBytes(slow!.plan.id)
    ) {
      crossed = now;
      await setTimeout(7_000);
    }
    await bed.board.lift(slow!.plan.id);
    expect((await slow!.lifted).problems.join()).to.match(/toxiproxy: wedged, it did not answer DELETE/);
    await bed.board.lift(pause!.plan.id);
    await expectReplaced(first);
  });

  async function crossedBytes(id: string): Promise<number> {
    const status = (await bed.board.list()).find((fault) => fault.id === id);
    return status?.counts.crossedBytes ?? 0;
  }
});
