import { expect } from 'chai';
import { type Engine, findEngine } from '../../../harness/engine/index.ts';
import { readImages } from '../../../harness/image/index.ts';
import type { RecordedEvent } from '../../../harness/record/index.ts';
import { type Bed, matchEvent, startBed } from '../../../harness/testnet/index.ts';
import { resolveTopologyText, type TopologyOverrides } from '../../../harness/topology/index.ts';
import { analyseHistory, readHistory } from '../../../harness/workload/index.ts';

const FLEET = 20;

/** A relay, and twenty clients in one container. */
const TOPOLOGY = `
name: probe
nodes:
  - {role: relay, image: probe-node}
  - role: client
    image: probe-node
    fleet: ${FLEET}
    settings: {relays: '{peers:relay}', perSecond: 4, reconnectMs: 100}
    after: [relay]
`;

describe('a bed of probe nodes', function () {
  this.timeout(300_000);

  let engine: Engine;
  let bed: Bed;
  const bedId = `probe-${process.pid}`;

  const topology = (overrides: TopologyOverrides = {}) =>
    resolveTopologyText(TOPOLOGY, 'probe.yaml', { seed: '7', ...overrides }, { images: readImages() });

  before(async () => {
    engine = await findEngine({});
    bed = await startBed({ engine, topology: topology(), runId: bedId, bedId, seed: '7' });
  });

  after(async () => {
    await bed?.remove();
    const left = await engine.listContainers([`squall.bed=${bedId}`]);
    engine.close();
    expect(left).to.deep.equal([]);
  });

  const until = (
    event: string,
    node: string,
    since: number,
    more: { count?: number; where?: Record<string, unknown> } = {},
  ) => bed.events.waitFor(matchEvent({ event, nodes: [node], ...more }), { withinMs: 60_000, since });

  /** Stops the load and waits until every acknowledged message has come to its receiver. */
  async function settledHistory(since: number): Promise<readonly RecordedEvent[]> {
    await bed.admin('client-1', 'POST', '/pause');
    const events = (): readonly RecordedEvent[] => bed.events.since(since);
    while (analyseHistory(events()).lost.length > 0)
      await until('message.received', 'client-1', bed.events.mark());
    return events();
  }

  it('gives every client of the fleet an address of its own, over many /24s, which the relay sees', async () => {
    await until('client.connected', 'relay-1', 0, { count: FLEET });
    const seen = bed.events.since(0).filter(({ event }) => event === 'client.connected');
    const addresses = new Set(seen.map(({ fields }) => String(fields['from'])));
    expect(addresses.size).to.equal(FLEET);
    const slash24s = new Set([...addresses].map((address) => address.split('.').slice(0, 3).join('.')));
    expect(slash24s.size).to.be.above(10);
    expect([...addresses]).not.to.include(bed.node('client-1').address);
  });

  it('keeps the host’s monotonic clock in its events, and a seq without gaps', async () => {
    const before = Number(process.hrtime.bigint());
    const mark = bed.events.mark();
    const { atNs } = await until('operation.invoked', 'client-1', mark);
    expect(atNs).to.be.within(before - 5e9, Number(process.hrtime.bigint()));
    expect(bed.logCounts('client-1').lostLines).to.equal(0);
  });

  it('loses nothing over a hold of the whole fleet, and its history shows the gap', async () => {
    const mark = bed.events.mark();
    const plan = bed.faults.plan({ kind: 'hold', on: 'client', forMs: 4_000, seed: '7' });
    await bed.faults.apply([plan], AbortSignal.timeout(60_000));
    await until('operation.unknown', 'client-1', mark);
    await bed.faults.liftAll();
    await until('operation.ok', 'client-1', bed.events.mark(), { count: FLEET });
    // The whole history: what began before the cut ended within it.
    const report = analyseHistory(await settledHistory(0));
    expect([report.lost, report.doubled, report.stray]).to.deep.equal([[], [], []]);
    expect(report.unknown).to.be.above(0);
    // Two seconds into the cut no answer had come for as long as a client waits.
    expect(report.longestGapMs).to.be.above(2_000);
  });

  it('cuts off every client of a fleet when the relay drops what goes to and from their node', async () => {
    await bed.reset('*');
    await until('operation.ok', 'client-1', bed.events.mark(), { count: FLEET });
    const plan = bed.faults.plan({ kind: 'drop', from: 'relay', to: 'client', seed: '7' });
    await bed.faults.apply([plan], AbortSignal.timeout(60_000));
    const cut = bed.events.mark();
    await until('operation.unknown', 'client-1', cut, { count: FLEET });
    // Before the lift: what was sent last may still arrive when its packets are repeated after it.
    const whileCut = bed.events.since(cut);
    await bed.faults.liftAll();
    const began = whileCut.filter(({ event }) => event === 'operation.invoked');
    const { operations } = readHistory(whileCut);
    const through = operations.filter(
      ({ operation, outcome }) =>
        outcome === 'ok' && began.some(({ fields }) => fields['operation'] === operation),
    );
    expect(began.length).to.be.above(FLEET);
    expect(through).to.deep.equal([]);
    await until('operation.ok', 'client-1', bed.events.mark(), { count: FLEET });
  });

  it('starts anew with a reset, with other settings, in the same containers', async () => {
    const pids = bed.nodes().map((node) => node.pid);
    await bed.reset('*', { env: { SQUALL_PER_SECOND: '20' } });
    expect(bed.nodes().map((node) => node.pid)).to.deep.equal(pids);
    const mark = bed.events.mark();
    await until('operation.ok', 'client-1', mark, { count: 100 });
    const report = analyseHistory(await settledHistory(mark));
    expect([report.lost, report.doubled]).to.deep.equal([[], []]);
    expect(await bed.verifyClean()).to.deep.include({ clean: true });
  });

  it('leaps an hour through its admin port, and what the relay kept has expired', async () => {
    await bed.reset('*', { env: { SQUALL_TO: 'nobody', SQUALL_PER_SECOND: '5' } });
    const mark = bed.events.mark();
    await until('operation.ok', 'client-1', mark);
    const answer = await bed.admin('relay-1', 'POST', '/clock', { leapMs: 3_600_000 });
    expect(answer.status).to.equal(200);
    await until('message.expired', 'relay-1', mark, { where: { to: 'nobody' } });
  });

  it('lives four times as fast at warp 4: its clock runs so, and its clients wait so long for an answer', async () => {
    /** Of the relay's clock against the host's, and how long the first client to give up had waited, by the host's clock. */
    const measured = async (warp: number): Promise<{ readonly rate: number; readonly waitedMs: number }> => {
      await bed.resetTo(topology({ warp, settings: { client: { perSecond: 1 } } }));
      const began = bed.events.mark();
      await until('operation.ok', 'client-1', began, { count: FLEET });
      const clock = async () =>
        JSON.parse((await bed.admin('relay-1', 'GET', '/state')).body) as Record<'nowMs' | 'monoNs', number>;
      const first = await clock();
      const cut = bed.events.mark();
      const plan = bed.faults.plan({ kind: 'drop', from: 'relay', to: 'client', seed: '7' });
      await bed.faults.apply([plan], AbortSignal.timeout(60_000));
      await until('operation.unknown', 'client-1', cut, { count: FLEET });
      const last = await clock();
      await bed.faults.liftAll();
      await until('operation.ok', 'client-1', bed.events.mark(), { count: FLEET });
      const report = analyseHistory(await settledHistory(began));
      expect([report.lost, report.doubled]).to.deep.equal([[], []]);
      const events = bed.events.since(began);
      const invoked = new Map(
        events
          .filter(({ event }) => event === 'operation.invoked')
          .map(({ fields, atNs }) => [fields['operation'], atNs]),
      );
      const waits = events
        .filter(
          ({ event, fields }) =>
            event === 'operation.unknown' && String(fields['reason']).startsWith('no answer within'),
        )
        .map(({ fields, atNs }) => (atNs - (invoked.get(fields['operation']) ?? 0)) / 1e6);
      return {
        rate: (last.nowMs - first.nowMs) / ((last.monoNs - first.monoNs) / 1e6),
        waitedMs: Math.min(...waits),
      };
    };
    const real = await measured(1);
    const fast = await measured(4);
    console.log(
      `      clock ${real.rate.toFixed(3)} and ${fast.rate.toFixed(3)}, patience ${real.waitedMs.toFixed(0)} and ${fast.waitedMs.toFixed(0)} ms`,
    );
    expect(real.rate).to.be.closeTo(1, 0.02);
    expect(fast.rate).to.be.closeTo(4, 0.08);
    expect(real.waitedMs / fast.waitedMs).to.be.closeTo(4, 1);
  });

  it('ends at SIGTERM before the engine would kill it', async () => {
    const { containerId } = bed.node('client-1');
    const mark = bed.events.mark();
    await engine.stopContainer(containerId, 10);
    expect(await until('stopped', 'client-1', mark)).to.deep.include({ fields: { signal: 'SIGTERM' } });
    expect(await engine.inspectContainer(containerId)).to.include({ running: false, exitCode: 0 });
  });
});
