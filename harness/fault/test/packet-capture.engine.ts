import { expect } from 'chai';
import { capturePackets, type PacketCapture } from '../index.ts';
import { never } from './fake-bed.ts';
import { type CapturedDatagram, readDatagrams } from './pcapng-reader.ts';
import { type RealBed, startRealBed } from './real-bed.ts';

const NODES = ['node-1', 'node-2'] as const;

describe('captures at real containers', function () {
  this.timeout(120_000);
  let bed: RealBed;
  let files: Map<string, Buffer[]>;
  let capture: PacketCapture;
  before(async () => {
    bed = await startRealBed({ nodes: 2 });
  });
  after(() => bed.remove());
  beforeEach(async () => {
    await Promise.all(NODES.map((node) => bed.forget(node)));
    files = new Map(NODES.map((node) => [node, []]));
    capture = await capturePackets(bed.agent, {
      nodes: NODES,
      snapBytes: 2_048,
      fileBytes: 1024 ** 2,
      take: async (node, bytes) => {
        files.get(node)!.push(bytes);
      },
    });
  });
  afterEach(() => capture.stop());

  /** Of the flow from the first node to the second. */
  function flowAt(node: string): readonly CapturedDatagram[] {
    const to = bed.node('node-2').address;
    return readDatagrams(Buffer.concat(files.get(node)!)).filter(
      (one) => one.toPort === 7000 && one.to === to,
    );
  }

  it('has what leaves one node and reaches the other, each with its direction', async () => {
    await bed.send('node-1', 'node-2', { count: 20, gapUs: 200 });
    await bed.untilReceived('node-2', 20);
    const { whole, problems, nodes } = await capture.stop();
    expect([whole, problems]).to.deep.equal([true, []]);
    for (const node of nodes) expect(node).to.include({ kernelDropped: 0, unread: 0, overLimit: 0 });
    expect(flowAt('node-1').map((one) => one.outbound)).to.deep.equal(Array(20).fill(true));
    expect(flowAt('node-2').map((one) => one.outbound)).to.deep.equal(Array(20).fill(false));
  });

  it('shows held datagrams once, when they leave, on the clock of the record', async () => {
    const [hold] = await bed.board.apply(
      [bed.board.plan({ kind: 'hold', on: 'node-1', seed: 's' })],
      never(),
    );
    await bed.send('node-1', 'node-2', { count: 20, gapUs: 200 });
    const { liftedNs } = await bed.board.lift(hold!.plan.id);
    await bed.untilReceived('node-2', 20);
    const { utcMinusMonotonicUs } = await capture.stop();
    for (const node of NODES) expect(flowAt(node), node).to.have.length(20);
    const firstUs = flowAt('node-1')[0]!.utcUs - utcMinusMonotonicUs;
    expect(firstUs).to.be.at.least(liftedNs! / 1_000 - 1_000);
  });

  it('goes on at a node that was restarted', async () => {
    await bed.send('node-1', 'node-2', { count: 5, gapUs: 200 });
    const [restart] = await bed.board.apply(
      [bed.board.plan({ kind: 'restart', on: 'node-1', seed: 's' })],
      never(),
    );
    await restart!.lifted;
    await bed.send('node-1', 'node-2', { count: 5, gapUs: 200 });
    await bed.untilReceived('node-2', 10);
    const { problems } = await capture.stop();
    expect(problems).to.deep.equal([]);
    expect(flowAt('node-1')).to.have.length(10);
  });
});
