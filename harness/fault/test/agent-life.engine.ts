import { connect } from 'node:net';
import { expect } from 'chai';
import type { BoardEvent } from '../index.ts';
import { never } from './fake-bed.ts';
import { type RealBed, startRealBed } from './real-bed.ts';

/** What the echo server of a node answers to this host, which reaches it over the bridge. */
async function echoFrom(address: string): Promise<string> {
  const socket = connect(7001, address);
  socket.end('still here');
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

describe('the agent container', function () {
  this.timeout(120_000);
  let bed: RealBed;

  beforeEach(async () => {
    bed = await startRealBed({ nodes: 2 });
  });
  afterEach(() => bed.remove());

  it('voids the trial at once when it is killed in mid-hold, and traffic flows again', async () => {
    const lost = new Promise<BoardEvent>((resolve) => {
      bed.board.onEvent((event) => {
        if (event.event === 'agent.lost') resolve(event);
      });
    });
    const [applied] = await bed.board.apply(
      [bed.board.plan({ kind: 'hold', on: 'node-1', seed: 's', forMs: 60_000 })],
      never(),
    );
    await bed.engine.killContainer(bed.agent.containerId, 'SIGKILL');
    await lost;
    const record = await applied!.lifted;
    expect(record.gone).to.equal(false);
    expect(bed.board.voids().join()).to.match(/packet agent: its output ended/);
    // The queues are gone, and the rules let packets pass without them.
    expect(await echoFrom(bed.node('node-1').address)).to.equal('still here');
    // Until the next agent comes, who takes them away; this shows that a rule which is left would be seen.
    expect(await bed.tablesLeft()).to.deep.equal({ 'node-1': ['squall'], 'node-2': [] });
  });

  it('leaves no rule and no container behind when it is told to leave in mid-fault', async () => {
    await bed.board.apply([bed.board.plan({ kind: 'drop', on: 'node-1', seed: 's' })], never());
    await bed.agent.close();
    expect(await bed.engine.inspectContainer(bed.agent.containerId)).to.equal(undefined);
    expect(bed.board.voids()).to.deep.equal([]);
    expect(await bed.tablesLeft()).to.deep.equal({ 'node-1': [], 'node-2': [] });
  });

  it('applies a fault again in the namespace of a node that was restarted under it', async () => {
    const [drop] = await bed.board.apply(
      [
        bed.board.plan({
          id: 'cut',
          kind: 'drop',
          on: 'node-1',
          protocol: 'udp',
          direction: 'out',
          seed: 's',
        }),
      ],
      never(),
    );
    await bed.send('node-1', 'node-2', { count: 5, gapUs: 100 });
    const pidBefore = bed.node('node-1').pid;
    const [restart] = await bed.board.apply(
      [bed.board.plan({ kind: 'restart', on: 'node-1', seed: 's' })],
      never(),
    );
    expect(await restart!.lifted).to.include({ bit: true, gone: true });
    expect(bed.node('node-1').pid).to.not.equal(pidBefore);
    await bed.send('node-1', 'node-2', { count: 6, gapUs: 100 });
    await bed.board.lift('cut');
    const record = await drop!.lifted;
    expect(record).to.include({ bit: true, gone: true });
    expect(record.witness?.counts).to.include({ droppedOut: 11 });
    expect((await bed.received('node-2')).count).to.equal(0);
  });
});
