import { expect } from 'chai';
import { type Engine, findEngine } from '../../../harness/engine/index.ts';
import { readImages } from '../../../harness/image/index.ts';
import { type Bed, matchEvent, startBed } from '../../../harness/testnet/index.ts';
import { resolveTopologyText } from '../../../harness/topology/index.ts';

const JOINERS = 2;

/** Eight holders and two that join when they are told to. */
const topologyOf = (variant: string): string => `
name: fetch
nodes:
  - role: holder
    count: 8
    image: fetch-node@${variant}
    settings: {peers: '{peers:*}', incumbents: '{names:holder}', chunkCount: 200, chunkBytes: 16384, serveMs: 20}
  - role: joiner
    count: ${JOINERS}
    image: fetch-node@${variant}
    settings: {peers: '{peers:*}', incumbents: '{names:holder}', join: asked, fetchConcurrency: 8}
    after: [holder]
`;

describe('a bed of fetch nodes', function () {
  this.timeout(300_000);

  let engine: Engine;
  let bed: Bed | undefined;
  before(async () => {
    engine = await findEngine({});
  });
  afterEach(async () => {
    await bed?.remove();
    bed = undefined;
  });
  after(() => engine?.close());

  /** Joins, and waits until both are drained. */
  async function wave(variant: string): Promise<Bed> {
    const bedId = `fetch-${variant.replace('+', '-')}-${process.pid}`;
    const topology = resolveTopologyText(
      topologyOf(variant),
      'fetch.yaml',
      { seed: '7' },
      { images: readImages() },
    );
    bed = await startBed({ engine, topology, runId: bedId, bedId, seed: '7' });
    const since = bed.events.mark();
    const nodes = Array.from({ length: JOINERS }, (_, index) => `joiner-${index + 1}`);
    await Promise.all(nodes.map((node) => bed?.admin(node, 'POST', '/join')));
    const drained = matchEvent({ event: 'bootstrap.drained', nodes, count: JOINERS });
    await bed.events.waitFor(drained, { withinMs: 240_000, since });
    return bed;
  }

  const count = (event: string, where: Readonly<Record<string, unknown>> = {}): number =>
    (bed?.events.since(0) ?? []).filter(
      (one) =>
        one.event === event && Object.entries(where).every(([name, value]) => one.fields[name] === value),
    ).length;

  // Residual refusals are expected: a slot is given back when the answer has left, and the next request may be there before.
  let droppedWithShare = 0;

  it('with the share: every key of the joiners arrives, and hardly a request is dropped', async () => {
    await wave('share');
    const stored = count('chunk.stored');
    droppedWithShare = count('admission.dropped');
    expect(stored).to.be.greaterThan(50);
    expect(droppedWithShare, `of ${stored}`).to.be.at.most(stored / 10);
    expect(count('trust.changed')).to.be.at.most(droppedWithShare);
    expect(count('key.lost')).to.equal(0);
  });

  it('before it: holders drop the third request of a joiner, and lose trust for each', async () => {
    await wave('before');
    expect(count('admission.dropped', { reason: 'per-peer' })).to.be.greaterThan(droppedWithShare);
    expect(count('trust.changed', { reason: 'connection_timeout' })).to.be.greaterThan(0);
    expect(count('key.lost')).to.equal(0);
  });

  it('with busy answers alone: refusals are told and cost no trust', async () => {
    await wave('busy');
    expect(count('fetch.finished', { outcome: 'busy' })).to.be.greaterThan(0);
    expect(count('trust.changed')).to.equal(0);
  });
});
