import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type Engine, findEngine } from '../../../harness/engine/index.ts';
import { readImages } from '../../../harness/image/index.ts';
import type { RecordedEvent } from '../../../harness/record/index.ts';
import { type Bed, matchEvent, startBed } from '../../../harness/testnet/index.ts';
import { resolveTopologyText } from '../../../harness/topology/index.ts';

const FILE = new URL('../../../topologies/session-24.yaml', import.meta.url);

describe('a bed of 24 storage nodes', function () {
  this.timeout(300_000);

  let engine: Engine;
  let bed: Bed;
  const bedId = `session-${process.pid}`;

  before(async () => {
    engine = await findEngine({});
    const text = readFileSync(FILE, 'utf8');
    const topology = resolveTopologyText(text, 'session-24.yaml', { seed: '7' }, { images: readImages() });
    bed = await startBed({ engine, topology, runId: bedId, bedId, seed: '7' });
  });
  after(async () => {
    await bed?.remove();
    const left = await engine.listContainers([`squall.bed=${bedId}`]);
    engine.close();
    expect(left).to.deep.equal([]);
  });

  const state = async (name: string): Promise<Record<string, unknown>> =>
    JSON.parse((await bed.admin(name, 'GET', '/state')).body) as Record<string, unknown>;
  const storages = Array.from({ length: 24 }, (_, index) => `storage-${index + 1}`);

  it('has four swarms of six, and clients whose messages every member of a swarm keeps', async () => {
    await bed.events.waitFor(matchEvent({ event: 'message.stored', count: 60 }), {
      withinMs: 120_000,
      since: 0,
    });
    const states = await Promise.all(storages.map(state));
    expect(states.map((one) => one['swarm'])).to.have.members(
      ['1', '2', '3', '4'].flatMap((label) => Array(6).fill(label) as string[]),
    );
    expect(new Set(states.map((one) => one['nodes']))).to.deep.equal(new Set([24]));
  });

  it('answers 421 in a storm on the nodes of one swarm, which its record shows to have bitten and to be gone', async () => {
    const settings = { redirect: 'bounce' };
    const plan = bed.faults.plan({ kind: 'storm-421', on: 'storage[swarm=1]', seed: '7', settings });
    const [applied] = await bed.faults.apply([plan], AbortSignal.timeout(60_000));
    const mark = bed.events.mark();
    const saw421 = {
      what: 'requests answered 421',
      progress: () => 'none yet',
      accepts: ({ event, fields }: RecordedEvent) =>
        event === 'requests.counted' && Object.hasOwn((fields['statuses'] ?? {}) as object, '421'),
    };
    await bed.events.waitFor(saw421, { withinMs: 120_000, since: mark });
    await bed.events.waitFor(matchEvent({ event: 'redirect.followed' }), { withinMs: 120_000, since: mark });
    // What `status` prints: answers by status at each node, and a line for each override of the clients.
    const [client, ...nodes] = await Promise.all(['client-1', ...storages.slice(0, 6)].map(state));
    const rejected = nodes.map(({ counts }) => (counts as Record<string, number>)['421'] ?? 0);
    expect(Math.max(...rejected), JSON.stringify(rejected)).to.be.above(0);
    expect(JSON.stringify(client?.['details'])).to.match(
      /"client-1\/\d+: [^"]+ → storage-\d+[^"]* \(redirected [1-9]\d* times\)/,
    );
    await bed.faults.liftAll();
    expect(await applied?.lifted).to.include({ bit: true, gone: true });
  });

  it('is seen by all nodes to change, with messages handed over', async () => {
    const mark = bed.events.mark();
    const answer = await bed.admin('registry-1', 'POST', '/epoch', { change: 'dissolve', swarm: '4' });
    expect(answer.status).to.equal(200);
    await bed.events.waitFor(matchEvent({ event: 'view.changed', count: 24 }), {
      withinMs: 60_000,
      since: mark,
    });
    await bed.events.waitFor(matchEvent({ event: 'message.handed-over' }), { withinMs: 60_000, since: mark });
  });
});
