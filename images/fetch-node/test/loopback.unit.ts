import { expect } from 'chai';
import { layChunks } from '../chunk-set.ts';
import { CloseGroups, idOf } from '../index.ts';
import { nodeState } from '../node-state.ts';
import { chunkSetOf } from '../start-fetch-node.ts';
import { LoopbackBed, type NodeSpec } from './loopback-bed.ts';
import { variant } from './rule-test.ts';

const HOLDERS = ['holder-1', 'holder-2', 'holder-3', 'holder-4', 'holder-5'];
const CHUNKS = 60;

function setOf(count: number, incumbents: readonly string[], closeGroupSize = 3) {
  const { settings } = variant('share', {
    SQUALL_CHUNK_COUNT: String(count),
    SQUALL_CHUNK_BYTES: '512',
    SQUALL_INCUMBENTS: incumbents.join(','),
    SQUALL_CLOSE_GROUP_SIZE: String(closeGroupSize),
  });
  return [...layChunks(chunkSetOf(settings, 'loopback'))];
}

describe('nodes on loopback', () => {
  let bed: LoopbackBed;
  afterEach(() => bed.stop());

  async function wave(joiner: NodeSpec, common: Readonly<Record<string, string>> = {}): Promise<void> {
    bed = new LoopbackBed([...HOLDERS, 'joiner-1'], {
      SQUALL_CHUNK_COUNT: String(CHUNKS),
      SQUALL_CLOSE_GROUP_SIZE: '3',
      SQUALL_ADMISSION_MARGIN: '0',
      SQUALL_FETCH_CONCURRENCY: '8',
      ...common,
    });
    const specs = Object.fromEntries(HOLDERS.map((name): [string, NodeSpec] => [name, {}]));
    await bed.start({ ...specs, 'joiner-1': joiner });
    await bed.node('joiner-1').join();
    await bed.until(() => bed.events('bootstrap.drained').length > 0);
  }

  it('a joiner fetches exactly the keys of which it is among the nearest, over TLS, and says when it is drained', async () => {
    await wave({}, { SQUALL_TRANSPORT: 'tls', SQUALL_CHUNK_COUNT: '20' });
    const network = new CloseGroups([...HOLDERS, 'joiner-1'].map((name) => ({ name, id: idOf(name) })));
    const wanted = setOf(20, HOLDERS)
      .map(({ key }) => key)
      .filter((key) => network.nearest(key, 3).includes('joiner-1'));
    expect(wanted.length).to.be.greaterThan(3);
    expect([...bed.node('joiner-1').store.keys()].sort()).to.deep.equal([...wanted].sort());
    expect(bed.events('chunk.stored')).to.have.length(wanted.length);
    expect(bed.events('bootstrap.drained')[0]).to.include({ joiner: 'joiner-1', chunks: wanted.length });
  });

  it('with the share nothing is dropped at a holder and nobody loses trust', async () => {
    await wave({ variant: 'share' });
    expect(bed.events('admission.dropped')).to.deep.equal([]);
    expect(bed.events('trust.changed')).to.deep.equal([]);
    expect(bed.events('fetch.finished').every(({ outcome }) => outcome === 'ok')).to.equal(true);
  });

  it('a forgetful joiner calls itself drained without some of what it says to have stored', async () => {
    await wave({ variant: 'forgetful', env: { SQUALL_FORGET_RATIO: '0.5' } });
    const said = bed.events('chunk.stored').length;
    const kept = bed.node('joiner-1').store.count;
    expect(kept).to.be.greaterThan(0).and.lessThan(said);
    expect(bed.events('bootstrap.drained')).to.have.length(1);
  });

  it('before it holders drop, each drop costs a timeout, and healthy holders lose trust for it', async () => {
    await wave({ variant: 'before' }, { SQUALL_SERVE_MS: '200' });
    const dropped = bed.events('admission.dropped');
    const timeouts = bed.events('fetch.finished').filter(({ outcome }) => outcome === 'timeout');
    expect(dropped.length).to.be.greaterThan(0);
    expect(timeouts.length).to.equal(dropped.length);
    expect(bed.events('trust.changed')).to.have.length(timeouts.length);
    expect(dropped[0]).to.include({
      peer: 'joiner-1',
      peerVersion: 'before',
      reason: 'per-peer',
      slotsOfPeer: 2,
    });
    expect(bed.events('bootstrap.drained')[0]?.['tookMs']).to.be.at.least(30_000);
  });

  it('with busy answers refusals are told, and cost no trust', async () => {
    await wave({ variant: 'busy' }, { SQUALL_SERVE_MS: '200', SQUALL_BUSY: 'true' });
    const outcomes = bed.events('fetch.finished').map(({ outcome }) => outcome);
    expect(outcomes).to.include('busy');
    expect(outcomes).not.to.include('timeout');
    expect(bed.events('admission.answered')).not.to.be.empty;
    expect(bed.events('admission.dropped')).to.deep.equal([]);
    expect(bed.events('trust.changed')).to.deep.equal([]);
  });

  it('drops are split by the version of whom they befall: those of an old cohort are not the candidate’s', async () => {
    bed = new LoopbackBed([...HOLDERS, 'joiner-1', 'joiner-2'], {
      SQUALL_CHUNK_COUNT: String(CHUNKS),
      SQUALL_CLOSE_GROUP_SIZE: '3',
      SQUALL_FETCH_CONCURRENCY: '8',
      SQUALL_SERVE_MS: '200',
    });
    const specs = Object.fromEntries(HOLDERS.map((name): [string, NodeSpec] => [name, {}]));
    const old = { variant: 'before', env: { SQUALL_VERSION: '0.22.0' } };
    await bed.start({ ...specs, 'joiner-1': old, 'joiner-2': { variant: 'share' } });
    await Promise.all([bed.node('joiner-1').join(), bed.node('joiner-2').join()]);
    await bed.until(() => bed.events('bootstrap.drained').length === 2);
    const versions = new Set(bed.events('admission.dropped').map(({ peerVersion }) => peerVersion));
    expect([...versions]).to.deep.equal(['0.22.0']);
    const [penalty] = bed.events('trust.changed');
    expect(penalty).to.include({ version: '0.22.0', peerVersion: 'share', reason: 'connection_timeout' });
    const [first, last] = bed.events('bootstrap.drained');
    expect([first?.by, last?.by]).to.deep.equal(['joiner-2', 'joiner-1']);
  });

  it('a holder that was away is found again, and keys that only it has are fetched then', async () => {
    bed = new LoopbackBed(['holder-1', 'holder-2', 'joiner-1'], {
      SQUALL_CHUNK_COUNT: '8',
      SQUALL_CLOSE_GROUP_SIZE: '1',
      SQUALL_VERIFICATION_RETRY_MS: '2000',
    });
    await bed.start({ 'holder-1': {}, 'holder-2': {}, 'joiner-1': {} });
    const node = bed.node('joiner-1');
    const own = setOf(8, ['holder-1', 'holder-2'], 1).filter(({ holders }) => holders[0] === 'holder-1');
    await bed.stopNode('holder-1');
    for (const { key } of own) node.direct(key, ['holder-1']);
    await bed.until(() => bed.events('peer.departed', 'joiner-1').length > 0);
    await bed.until(() => node.pending.size === own.length);
    expect(bed.events('key.lost')).to.deep.equal([]);
    await bed.add('holder-1', {});
    await bed.until(() => node.store.count === own.length);
    expect(bed.events('peer.arrived', 'joiner-1').map(({ peer }) => peer)).to.include('holder-1');
  });

  it('a holder with a closed gate is found silent, passed by the others, and stops although it holds requests', async () => {
    bed = new LoopbackBed(['holder-1', 'holder-2', 'joiner-1'], {
      SQUALL_CHUNK_COUNT: '12',
      SQUALL_CLOSE_GROUP_SIZE: '2',
      SQUALL_FETCH_CONCURRENCY: '8',
      SQUALL_FETCH_TIMEOUT_MS: '5000',
    });
    await bed.start({ 'holder-1': { env: { SQUALL_GATE: 'closed' } }, 'holder-2': {}, 'joiner-1': {} });
    const node = bed.node('joiner-1');
    const keys = setOf(12, ['holder-1', 'holder-2'], 2).map(({ key }) => key);
    for (const key of keys) expect(node.direct(key, ['holder-1', 'holder-2'])).to.equal(true);
    await bed.until(() => node.store.count === 12);
    expect(bed.events('source.silent').map(({ source }) => source)).to.deep.equal(['holder-1']);
    expect(bed.node('holder-1').responder.facts.slotsInUse).to.equal(2);
    await bed.stopNode('holder-1');
    await bed.until(() => bed.events('peer.departed', 'joiner-1').length > 0);
    expect(bed.events('peer.departed', 'joiner-1')[0]).to.include({ peer: 'holder-1' });
  });

  it('a full disk fails writes of an answering holder, and the keys come again when there is room', async () => {
    bed = new LoopbackBed(['holder-1', 'joiner-1'], {
      SQUALL_CHUNK_COUNT: '6',
      SQUALL_CLOSE_GROUP_SIZE: '1',
      SQUALL_VERIFICATION_RETRY_MS: '1000',
    });
    await bed.start({ 'holder-1': {}, 'joiner-1': { env: { SQUALL_DISK_BYTES: '1024' } } });
    const node = bed.node('joiner-1');
    for (const { key } of setOf(6, ['holder-1'], 1)) node.direct(key, ['holder-1']);
    await bed.until(() => node.counts.outcomes.failed >= 4);
    expect(node.store.count).to.equal(2);
    expect(node.health.silent()).to.deep.equal([]);
    expect(bed.events('trust.changed')).to.deep.equal([]);
    node.store.diskBytes = 0;
    await bed.until(() => node.store.count === 6);
  });

  it('has in its state what its process took since it was made', async () => {
    bed = new LoopbackBed(['holder-1'], { SQUALL_CHUNK_COUNT: '1' });
    await bed.start({ 'holder-1': {} });
    const state = nodeState(bed.node('holder-1'));
    const before = Number(state['cpuMs']);
    const began = process.cpuUsage();
    while (process.cpuUsage(began).user + process.cpuUsage(began).system < 5_000) Math.hypot(before, 1);
    expect(Number(nodeState(bed.node('holder-1'))['cpuMs'])).to.be.at.least(before + 5);
  });

  it('tells its summary every five minutes and at its end, as an event and as a line', async () => {
    bed = new LoopbackBed(['holder-1'], { SQUALL_CHUNK_COUNT: '1' });
    await bed.start({ 'holder-1': {} });
    await bed.clock.leap(300_000);
    await bed.stopNode('holder-1');
    const [first] = bed.events('dispatch.summary');
    expect(bed.events('dispatch.summary')).to.have.length(2);
    expect(first).to.include({ parked: 0, in_flight: 0, attempts_ok: 0, source_health_overflow: 0 });
    expect(
      bed.logged.filter((line) => line.startsWith('replication fetch dispatch summary parked=0')),
    ).to.have.length(2);
  });
});
