import { expect } from 'chai';
import { type Engine, findEngine } from '../../../harness/engine/index.ts';
import { readImages } from '../../../harness/image/index.ts';
import { type Bed, startBed } from '../../../harness/testnet/index.ts';
import { until } from '../../../harness/testnet/test/test-bed.ts';
import { resolveTopologyText } from '../../../harness/topology/index.ts';
import { parseServerAddress, type ServerAddress } from '../../smp-kit/index.ts';
import { newQueue, outcomeOf, SOON_MS, send, TestBed } from './in-process.ts';
import { ROUND, tryAll } from './try-all.ts';

const SEED = '7';
/** Of the series that is judged; caches fill and code is compiled in one of the same length before it. */
const TRIES = 10_000;
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
    JSON.parse((await bed.admin('relay-1', 'GET', '/state')).body) as Readonly<Record<string, number>> & {
      readonly relays?: readonly unknown[];
      readonly slots?: readonly unknown[];
    };

  /** Until the server remembers no relay, failed (for 30 s) or under way: what it keeps for a time is no leak. */
  const forgotten = async (): Promise<void> =>
    await until(async () => {
      const { relays, slots } = await state();
      return relays?.length === 0 && slots?.length === 0;
    });

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
      await forgotten();
      return await heldBytes();
    };
    const warmBytes = await series();
    const risenBytes = (await series()) - warmBytes;
    console.log(`      held once warm: ${warmBytes} bytes; after another series ${risenBytes} more`);
    expect(risenBytes, 'bytes held of a series, once warm').to.be.below(LEAK_BYTES_A_TRY * TRIES);
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
