import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { never } from './fake-bed.ts';
import { type RealBed, startRealBed } from './real-bed.ts';

describe('process faults on real containers', function () {
  this.timeout(120_000);
  let bed: RealBed;
  const expected: string[] = [];

  before(async () => {
    bed = await startRealBed({
      nodes: 3,
      overrides: () => ({
        expectExit: (name) => {
          expected.push(name);
          return () => expected.splice(expected.indexOf(name), 1);
        },
      }),
    });
  });
  after(() => bed.remove());
  afterEach(async () => {
    await bed.board.liftAll();
    expect(expected).to.deep.equal([]);
  });

  const inspect = (name: string) => bed.engine.inspectContainer(bed.node(name).containerId);

  it('pauses, shows it by the state of the container, and lets it go on after its time', async () => {
    const plan = bed.board.plan({ kind: 'pause', on: 'node-1,node-2', seed: 's', forMs: 300 });
    const [applied] = await bed.board.apply([plan], never());
    expect((await inspect('node-1'))?.paused).to.equal(true);
    expect((await inspect('node-3'))?.paused).to.equal(false);
    const record = await applied!.lifted;
    expect(record).to.include({ bit: true, gone: true });
    expect(record.witness?.counts).to.include({ paused: 2 });
    expect(record.liftedNs! - record.appliedNs!).to.be.at.least(290e6);
    expect((await inspect('node-1'))?.paused).to.equal(false);
  });

  it('kills, expects the exit, and brings the node back when lifted', async () => {
    const [applied] = await bed.board.apply(
      [bed.board.plan({ id: 'k', kind: 'kill', on: 'node-1', seed: 's' })],
      never(),
    );
    expect(expected).to.deep.equal(['node-1']);
    expect(await inspect('node-1')).to.include({ running: false, exitCode: 137, oomKilled: false });
    expect(await bed.connect('node-2', 'node-1', { timeoutMs: 500 })).to.include({ connected: false });
    await bed.board.lift('k');
    const record = await applied!.lifted;
    expect(record).to.include({ bit: true, gone: true });
    expect(record.witness?.counts).to.include({ stopped: 1, exit137: 1 });
    expect(await inspect('node-1')).to.include({ running: true });
    expect((await bed.connect('node-2', 'node-1', { timeoutMs: 5_000 })).echoed).to.equal(64);
  });

  it('stops in good order', async () => {
    const [applied] = await bed.board.apply(
      [bed.board.plan({ id: 's', kind: 'stop', on: 'node-2', seed: 's' })],
      never(),
    );
    expect(await inspect('node-2')).to.include({ running: false, exitCode: 0 });
    await bed.board.lift('s');
    expect(await applied!.lifted).to.include({ bit: true, gone: true });
  });

  it('refuses to apply to a node that is away already', async () => {
    await bed.board.apply([bed.board.plan({ id: 'k', kind: 'kill', on: 'node-1', seed: 's' })], never());
    const error = await bed.board
      .apply([bed.board.plan({ kind: 'pause', on: 'node-1', seed: 's' })], never())
      .catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(SquallError).with.property('code', 'node-not-running');
    await bed.board.lift('k');
  });

  it('counts a target that vanished as lifted, says so, and lifts the others', async () => {
    const plan = bed.board.plan({ id: 'p', kind: 'pause', on: 'node-2,node-3', seed: 's' });
    const [applied] = await bed.board.apply([plan], never());
    await bed.engine.removeContainer(bed.node('node-3').containerId);
    await bed.board.lift('p');
    const record = await applied!.lifted;
    expect(record.gone).to.equal(true);
    expect(record.problems).to.deep.equal(['node-3: its container vanished while the fault was in force']);
    expect((await inspect('node-2'))?.paused).to.equal(false);
  });

  it('does not call a kill gone whose node cannot come back', async () => {
    const [applied] = await bed.board.apply(
      [bed.board.plan({ id: 'k', kind: 'kill', on: 'node-2', seed: 's' })],
      never(),
    );
    await bed.engine.removeContainer(bed.node('node-2').containerId);
    await bed.board.lift('k');
    const record = await applied!.lifted;
    expect(record.gone).to.equal(false);
    expect(record.problems.join()).to.match(/node-2 does not run again/);
  });
});
