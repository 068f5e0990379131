import { expect } from 'chai';
import type { FaultRecord } from '../../record/index.ts';
import type { FaultRequest } from '../index.ts';
import { never } from './fake-bed.ts';
import { type RealBed, startRealBed } from './real-bed.ts';

describe('packet faults on real containers', function () {
  this.timeout(120_000);
  let bed: RealBed;

  before(async () => {
    bed = await startRealBed({ nodes: 3 });
  });
  after(() => bed.remove());
  afterEach(async () => {
    await bed.board.liftAll();
    expect((await bed.agent.snapshot()).faults).to.deep.equal([]);
    await bed.forget('node-2');
  });

  /** Applies a fault, does what happens under it, lifts it, and returns its record. */
  async function under(request: Omit<FaultRequest, 'seed'>, act: () => Promise<void>): Promise<FaultRecord> {
    const [applied] = await bed.board.apply([bed.board.plan({ seed: 'seed', ...request })], never());
    await act();
    await bed.board.lift(applied!.plan.id);
    const record = await applied!.lifted;
    expect(record).to.include({ bit: true, gone: true });
    expect(record.problems).to.deep.equal([]);
    expect(bed.board.voids()).to.deep.equal([]);
    return record;
  }

  it('holds 5,000 datagrams of a sender that notices nothing, and delivers them late and in order', async () => {
    const record = await under({ kind: 'hold', on: 'node-1', settings: { pacePps: 20_000 } }, async () => {
      const sent = await bed.send('node-1', 'node-2', { count: 5_000, gapUs: 150, bytes: 400 });
      expect(sent).to.deep.equal({ sent: 5_000, errors: {} });
      expect((await bed.received('node-2')).count).to.equal(0);
    });
    expect(record.witness?.counts).to.include({ heldOut: 5_000, releasedOut: 5_000, sendErrors: 0 });
    expect(await bed.received('node-2')).to.include({
      count: 5_000,
      distinct: 5_000,
      disordered: 0,
      corrupt: 0,
    });
  });

  it('holds what comes in at the receiver, in order', async () => {
    const record = await under({ kind: 'hold', on: 'node-2', protocol: 'udp', direction: 'in' }, async () => {
      await bed.send('node-1', 'node-2', { count: 500, gapUs: 20 });
      expect((await bed.received('node-2')).count).to.equal(0);
    });
    expect(record.witness?.perNode?.['node-2']).to.include({ heldIn: 500, releasedIn: 500 });
    expect(await bed.received('node-2')).to.include({ count: 500, disordered: 0 });
  });

  it('drops TCP under a hold that says so: connections hang and fail without an error of their own', async () => {
    const record = await under({ kind: 'hold', on: 'node-1', settings: { tcp: 'drop' } }, async () => {
      expect(await bed.connect('node-1', 'node-2', { timeoutMs: 1_500 })).to.include({ error: 'timeout' });
      await bed.send('node-1', 'node-2', { count: 3 });
    });
    expect(record.witness?.counts.droppedTcp).to.be.at.least(2);
    expect(record.witness?.counts).to.include({ heldOut: 3, releasedOut: 3 });
    expect(await bed.connect('node-1', 'node-2')).to.include({ connected: true, echoed: 64 });
  });

  it('drops one way only, to one peer only, and the sender sees no error', async () => {
    const record = await under(
      { kind: 'drop', from: 'node-1', to: 'node-2', direction: 'out', protocol: 'udp', ports: [7000] },
      async () => {
        expect((await bed.send('node-1', 'node-2', { count: 50 })).errors).to.deep.equal({});
        await bed.send('node-1', 'node-3', { count: 50 });
        expect(await bed.connect('node-1', 'node-2')).to.include({ echoed: 64 });
      },
    );
    expect(record.witness?.counts).to.include({ droppedOut: 50, droppedIn: 0 });
    expect((await bed.received('node-2')).count).to.equal(0);
    expect((await bed.received('node-3')).count).to.equal(50);
  });

  it('loses the same packets for the same seed', async () => {
    const loseOf = () =>
      under(
        { kind: 'loss', on: 'node-1', direction: 'out', protocol: 'udp', settings: { lossRatio: '30%' } },
        async () => {
          await bed.send('node-1', 'node-2', { count: 2_000, gapUs: 10 });
        },
      );
    const first = (await loseOf()).witness?.counts.droppedOut as number;
    const second = (await loseOf()).witness?.counts.droppedOut as number;
    // 2,000 draws at 30 %: 600 ± 82 is four standard deviations.
    expect(first).to.be.within(518, 682);
    expect(second).to.equal(first);
    expect((await bed.received('node-2')).distinct).to.be.at.most(2_000 - 518);
  });

  it('delays by what was asked, measured by the agent and by the receiver', async () => {
    const record = await under(
      { kind: 'delay', on: 'node-1', direction: 'out', protocol: 'udp', settings: { delayMs: 80 } },
      async () => {
        await bed.send('node-1', 'node-2', { count: 20, gapUs: 500 });
        await bed.untilReceived('node-2', 20);
      },
    );
    expect(record.witness?.counts.delayed).to.equal(20);
    expect(record.witness?.counts.delayP50Ms).to.be.at.least(75);
    expect((await bed.received('node-2')).lateMaxMs).to.be.at.least(80);
  });

  it('duplicates', async () => {
    const record = await under(
      { kind: 'duplicate', on: 'node-1', protocol: 'udp', settings: { duplicateRatio: 1 } },
      async () => {
        await bed.send('node-1', 'node-2', { count: 100, gapUs: 100 });
      },
    );
    expect(record.witness?.counts.duplicated).to.equal(100);
    expect(await bed.received('node-2')).to.include({ count: 200, distinct: 100 });
  });

  it('reorders', async () => {
    const settings = { reorderRatio: 0.2, delayMs: 5 };
    const record = await under({ kind: 'reorder', on: 'node-1', protocol: 'udp', settings }, async () => {
      await bed.send('node-1', 'node-2', { count: 300, gapUs: 300 });
    });
    expect(record.witness?.counts.reordered).to.be.at.least(20);
    const received = await bed.received('node-2');
    expect(received.distinct).to.equal(300);
    expect(received.disordered).to.be.at.least(10);
  });

  it('corrupts so that the receiver drops it, or so that the application sees it', async () => {
    const corrupt = (detected: boolean) =>
      under(
        {
          kind: 'corrupt',
          on: 'node-1',
          direction: 'out',
          protocol: 'udp',
          settings: { corruptRatio: 1, detected },
        },
        async () => {
          await bed.send('node-1', 'node-2', { count: 40, gapUs: 100, bytes: 1_400 });
        },
      );
    const seen = await corrupt(true);
    expect(seen.witness?.counts.corrupted).to.equal(40);
    expect((await bed.received('node-2')).count).to.equal(0);
    const unseen = await corrupt(false);
    expect(unseen.witness?.counts.corrupted).to.equal(40);
    const { count, corrupt: wrong } = await bed.received('node-2');
    expect(count).to.equal(40);
    // The receiver knows what the filling was, not the 16 bytes before it: of 40 bits in 1,400 bytes half a one falls there.
    expect(wrong).to.be.within(36, 40);
  });

  it('thins the pipe to what was asked, measured at the receiver', async () => {
    const settings = { bytesPerSecond: '50KB', burstBytes: 0, queuePackets: 1_000 };
    // 500 bytes each with their headers, so a second's worth.
    const wantedMs = 1_000;
    let tookMs = 0;
    const record = await under(
      { kind: 'rate', on: 'node-1', direction: 'out', protocol: 'udp', settings },
      async () => {
        const beganMs = performance.now();
        await bed.send('node-1', 'node-2', { count: 100, bytes: 472 });
        await bed.untilReceived('node-2', 100);
        tookMs = performance.now() - beganMs;
      },
    );
    expect(record.witness?.counts).to.include({ delayed: 100, droppedOut: 0 });
    expect(tookMs).to.be.at.least(wantedMs - 10);
    const { lateMaxMs } = await bed.received('node-2');
    console.log(`      ${Math.round(50_000 / (lateMaxMs / 1_000))} bytes/s, where 50,000 were asked`);
    expect(lateMaxMs).to.be.at.most(2 * wantedMs);
  });

  it('lets new connections hang and open ones live on', async () => {
    expect(await bed.open('node-1', 'node-2')).to.include({ connected: true });
    await under(
      { kind: 'blackhole-connect', from: 'node-1', to: 'node-2', direction: 'out', ports: [7001] },
      async () => {
        expect(await bed.connect('node-1', 'node-2', { timeoutMs: 800 })).to.include({
          connected: false,
          error: 'timeout',
        });
        expect(await bed.connect('node-1', 'node-3')).to.include({ echoed: 64 });
        expect(await bed.talk('node-1', 'node-2')).to.include({ echoed: 64 });
      },
    );
    expect(await bed.connect('node-1', 'node-2')).to.include({ echoed: 64 });
  });

  it('measures by probes how far apart the nodes feel a fault begin and end', async () => {
    const plan = bed.board.plan({ kind: 'drop', on: '*', seed: 's', forMs: 900 });
    const [applied] = await bed.board.apply([plan], never(), { probePps: 1_000 });
    await bed.send('node-1', 'node-2', { count: 60, gapUs: 10_000 });
    const record = await applied!.lifted;
    expect(record.problems).to.deep.equal([]);
    expect(record.applySkewNs).to.be.at.least(0);
    expect(record.liftSkewNs).to.be.at.least(0);
    console.log(
      `      first to last of 3 nodes: ${record.applySkewNs! / 1e6} ms, ${record.liftSkewNs! / 1e6} ms`,
    );
  });

  it('says that no skew was measured of a fault that was lifted early', async () => {
    const plan = bed.board.plan({
      id: 'early',
      kind: 'drop',
      on: '*',
      seed: 's',
      forMs: 60_000,
      mustShow: {},
    });
    const [applied] = await bed.board.apply([plan], never(), { probePps: 1_000 });
    await bed.board.lift('early');
    const record = await applied!.lifted;
    expect(record).to.include({ bit: true, gone: true });
    expect(record.problems.join()).to.match(/skew of the end not measured/);
  });

  it('puts several faults on one node, and lifts a timed one by the clock of the agent', async () => {
    const plans = [
      bed.board.plan({
        kind: 'delay',
        on: 'node-1',
        protocol: 'udp',
        seed: 's',
        settings: { delayMs: 20 },
        forMs: 400,
      }),
      bed.board.plan({
        kind: 'duplicate',
        on: 'node-1',
        protocol: 'udp',
        seed: 's',
        settings: { duplicateRatio: 1 },
        forMs: 400,
      }),
    ];
    const applied = await bed.board.apply(plans, never());
    expect(Math.abs(applied[0]!.appliedNs - applied[1]!.appliedNs)).to.be.below(1e6);
    await bed.send('node-1', 'node-2', { count: 10, gapUs: 200 });
    const records = await Promise.all(applied.map((fault) => fault.lifted));
    for (const record of records) {
      expect(record).to.include({ bit: true, gone: true });
      const lengthMs = (record.liftedNs! - record.appliedNs!) / 1e6;
      expect(lengthMs).to.be.at.least(399);
    }
    expect(await bed.received('node-2')).to.include({ count: 20, distinct: 10 });
  });

  it('puts loss, corruption, duplicates, a thin pipe, delay and reordering on one node at one instant', async () => {
    const SENT = 200;
    const of = (kind: FaultRequest['kind'], settings: Readonly<Record<string, unknown>>) =>
      bed.board.plan({ kind, on: 'node-1', direction: 'out', protocol: 'udp', seed: 'seed', settings });
    const plans = [
      of('loss', { lossRatio: 0.2 }),
      of('corrupt', { corruptRatio: 1, detected: false }),
      of('duplicate', { duplicateRatio: 1 }),
      of('rate', { bytesPerSecond: '200KB', burstBytes: 0 }),
      of('delay', { delayMs: 50 }),
      of('reorder', { reorderRatio: 0.2, delayMs: 40 }),
    ];
    const applied = await bed.board.apply(plans, never());
    const instants = applied.map(({ appliedNs }) => appliedNs);
    expect(Math.max(...instants) - Math.min(...instants)).to.be.below(1e6);
    const lossOf = async () => (await bed.agent.witness([plans[0]!.id])).faults[0]?.perNode['node-1'];
    const beganMs = performance.now();
    await bed.send('node-1', 'node-2', { count: SENT, gapUs: 50, bytes: 972 });
    let loss = await lossOf();
    while ((loss?.passed ?? 0) + (loss?.droppedOut ?? 0) < SENT) loss = await lossOf();
    const left = loss?.passed ?? 0;
    // 200 draws at 20 %: 40 ± 23 is four standard deviations.
    expect(left).to.be.within(SENT - 63, SENT - 17);
    await bed.untilReceived('node-2', 2 * left);
    // A thousand bytes each with their headers, and as many for the copy: 10 ms a pair.
    expect(performance.now() - beganMs).to.be.at.least(left * 10 + 40);
    for (const plan of plans) await bed.board.lift(plan.id);
    const counts: Record<string, Readonly<Record<string, number>>> = {};
    for (const fault of applied) {
      const record = await fault.lifted;
      expect(record, record.kind).to.include({ bit: true, gone: true });
      expect(record.problems).to.deep.equal([]);
      counts[record.kind] = record.witness?.counts ?? {};
    }
    expect(counts['corrupt']?.['corrupted']).to.equal(left);
    expect(counts['duplicate']?.['duplicated']).to.equal(left);
    expect(counts['rate']).to.include({ delayed: left, droppedOut: 0 });
    expect(counts['delay']?.['delayed']).to.equal(left);
    const { count, corrupt, disordered } = await bed.received('node-2');
    expect(count).to.equal(2 * left);
    expect(corrupt).to.be.within(2 * left - 20, 2 * left);
    expect(disordered).to.be.at.least(1);
    expect(bed.board.voids()).to.deep.equal([]);
  });

  // Last: the receiver has thousands of datagrams to take when it is over.
  it('holds 65,536 packets, says what a queue had no room for, and voids the trial', async () => {
    const ROOM = 65_536;
    const BEYOND = 500;
    const hold = bed.board.plan({
      id: 'full',
      kind: 'hold',
      on: 'node-1',
      direction: 'out',
      protocol: 'udp',
      seed: 's',
    });
    const [applied] = await bed.board.apply([hold], never());
    let sent = 0;
    for (let round = 0; sent < ROOM + BEYOND; round += 1) {
      expect(round, 'rounds of sending').to.be.below(1_000);
      // As fast as the agent takes them; what the sender's own buffer has no room for is not sent.
      sent += (await bed.send('node-1', 'node-2', { count: 10_000 })).sent;
    }
    await bed.board.lift('full');
    const record = await applied!.lifted;
    expect(record).to.include({ bit: true, gone: true });
    const { heldOut, releasedOut, overflowed = 0, kernelDropped = 0 } = record.witness?.counts ?? {};
    expect({ heldOut, releasedOut }).to.deep.equal({ heldOut: ROOM, releasedOut: ROOM });
    expect(overflowed).to.be.at.least(1);
    expect(overflowed + kernelDropped).to.equal(sent - ROOM);
    const reason = `packets overflowed a queue of the packet agent: ${overflowed}`;
    expect(record.problems).to.include(reason);
    expect((await bed.board.takeRecords()).voids).to.include(`fault full: ${reason}`);
    expect(bed.board.voids()).to.deep.equal([]);
  });
});
