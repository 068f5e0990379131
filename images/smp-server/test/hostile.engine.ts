import { expect } from 'chai';
import { type Engine, findEngine } from '../../../harness/engine/index.ts';
import { readImages } from '../../../harness/image/index.ts';
import { type Bed, startBed } from '../../../harness/testnet/index.ts';
import { resolveTopologyText } from '../../../harness/topology/index.ts';
import { parseServerAddress, type ServerAddress } from '../../smp-kit/index.ts';
import { newQueue, outcomeOf, SOON_MS, send, TestBed } from './in-process.ts';
import { ROUND, tryAll } from './try-all.ts';

const SEED = '7';
const TRIES = 5_000;
/** Caches fill and code is compiled for the first series; at most so many of them until two leave the same. */
const WARM_UPS = 6;
/** Series that are compared once it is warm: a leak grows in each. */
const SERIES = 4;
/** Less than the smallest thing that could be kept of a try: a socket, a session's keys, a block of 16 KiB. */
const LEAK_BYTES_A_TRY = 200;
const TOPOLOGY = `
name: hostile
nodes:
  - {role: relay, image: smp-server}
`;
/** An address of the bed's /24 that no node has: connections there hang until the kernel finds nobody. */
const silentAddress = (node: string): string => node.replace(/\d+$/, '249');

describe('an SMP server in a container among strangers', function () {
  this.timeout(1_800_000);

  let engine: Engine;
  let bed: Bed;
  let address: ServerAddress;
  const clients = new TestBed();
  const bedId = `hostile-${process.pid}`;
  before(async () => {
    engine = await findEngine({});
    const topology = resolveTopologyText(TOPOLOGY, 'hostile.yaml', { seed: SEED }, { images: readImages() });
    bed = await startBed({ engine, topology, runId: bedId, bedId, seed: SEED });
    address = parseServerAddress(`relay-1@${bed.node('relay-1').address}`, SEED);
  });
  after(async () => {
    await clients.close();
    await bed?.remove();
    engine.close();
  });

  const state = async () =>
    JSON.parse((await bed.admin('relay-1', 'GET', '/state')).body) as Readonly<Record<string, number>>;

  /** Heap and buffers after a garbage collection. */
  const heldBytes = async (): Promise<number> => {
    const held = JSON.parse((await bed.admin('relay-1', 'POST', '/collect')).body);
    return Number(held.heapUsedBytes) + Number(held.externalBytes);
  };

  it(`survives series of ${TRIES} tries without holding on to anything, and serves on`, async () => {
    const before = await state();
    const silent = { hosts: [silentAddress(String(address.hosts[0]))], port: '5223' };
    const series = async (): Promise<number> => {
      await tryAll(address, Math.ceil(TRIES / ROUND), silent);
      return await heldBytes();
    };
    const mostOfOne = LEAK_BYTES_A_TRY * TRIES;
    const held = [await series(), await series()];
    // What still moves is not warm yet: while it shrinks a leak would hide. One that leaks never agrees, and is judged by its slope.
    const moves = (): boolean => Math.abs((held.at(-1) ?? 0) - (held.at(-2) ?? 0)) > mostOfOne / 2;
    while (held.length < WARM_UPS && moves()) held.push(await series());
    const warm = held.at(-1) ?? 0;
    for (let one = 0; one < SERIES; one += 1) held.push(await series());
    console.log(`      held after each series: ${held.join(', ')} bytes`);
    const slope = ((held.at(-1) ?? 0) - warm) / SERIES;
    expect(slope, 'bytes held of each series, once warm').to.be.below(mostOfOne);
    const connection = await clients.connect(address);
    const queue = await newQueue(connection);
    const said = connection.request(send('x'), { entityId: queue.senderId, timeoutMs: SOON_MS });
    expect(await outcomeOf(said)).to.equal('OK');
    await queue.ask({ tag: 'DEL' });
    const after = await state();
    expect(after['epoch'], 'the same life').to.equal(before['epoch']);
    expect(after).to.include({ clients: 1, queues: 0, messages: 0, storedBytes: 0, slotsInUse: 0 });
  });
});
