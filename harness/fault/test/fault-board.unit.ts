import { expect } from 'chai';
import type { Engine } from '../../engine/index.ts';
import { SquallError } from '../../errors/index.ts';
import type { BoardEvent, FaultRequest } from '../index.ts';
import { monotonicNs } from '../time-budget.ts';
import { type FakeBed, fakeBed, never } from './fake-bed.ts';

const HOLD: FaultRequest = { kind: 'hold', on: 'member-1,member-2', seed: 's', settings: { tcp: 'drop' } };

function udp(bed: FakeBed, node: string, packets: number): void {
  bed.fake.traffic({ node, direction: 'in', protocol: 'udp', packets });
}

async function rejection(work: Promise<unknown>): Promise<SquallError> {
  try {
    await work;
  } catch (error) {
    expect(error).to.be.instanceOf(SquallError);
    return error as SquallError;
  }
  throw new Error('expected a rejection');
}

describe('FaultBoard', () => {
  it('records a hold that bit, with its witness from the agent, and that it is gone', async () => {
    const bed = await fakeBed();
    const [applied] = await bed.board.apply([bed.board.plan(HOLD)], never());
    udp(bed, 'member-1', 3);
    bed.fake.traffic({ node: 'member-2', direction: 'out', protocol: 'tcp', packets: 2 });
    await bed.board.lift(applied!.plan.id);
    const record = await applied!.lifted;
    expect(record.bit).to.equal(true);
    expect(record.gone).to.equal(true);
    expect(record.problems).to.deep.equal([]);
    expect(record.witness?.counts).to.include({ heldIn: 3, releasedIn: 3, droppedOut: 2 });
    expect(record.witness?.perNode?.['member-2']).to.include({ droppedOut: 2 });
    expect(await bed.agent.snapshot())
      .to.have.property('faults')
      .that.deep.equals([]);
  });

  it('says that a fault which met no packet did not bite', async () => {
    const bed = await fakeBed();
    const [applied] = await bed.board.apply([bed.board.plan({ ...HOLD, forMs: 5 })], never());
    const record = await applied!.lifted;
    expect(record).to.include({ bit: false, gone: true });
    expect(record.problems.join()).to.match(/heldIn\+heldOut.* = 0; expected at least 1/);
  });

  it('counts only what passed while the fault was in force', async () => {
    const bed = await fakeBed();
    const plan = bed.board.plan({ kind: 'drop', on: 'member-1', seed: 's' });
    const [applied] = await bed.board.apply([plan], never(), { afterMs: 60_000 });
    udp(bed, 'member-1', 7);
    await bed.board.lift(applied!.plan.id);
    const record = await applied!.lifted;
    expect(record.bit).to.equal(false);
    expect(record.witness?.counts).to.deep.equal({});
  });

  it('demands of each target what mustShow asks of each', async () => {
    const bed = await fakeBed();
    const plan = bed.board.plan({ ...HOLD, mustShow: { 'each:heldIn+heldOut': 1 } });
    const [applied] = await bed.board.apply([plan], never());
    udp(bed, 'member-1', 9);
    await bed.board.lift(applied!.plan.id);
    const record = await applied!.lifted;
    expect(record.bit).to.equal(false);
    expect(record.problems).to.have.lengthOf(1);
    expect(record.problems[0]).to.match(/^member-2: /);
  });

  it('asks nothing of a fault of no length, which is a control', async () => {
    const bed = await fakeBed();
    const [applied] = await bed.board.apply([bed.board.plan({ ...HOLD, forMs: 0 })], never());
    expect(await applied!.lifted).to.include({ bit: true, gone: true });
  });

  it('lifts by the clock of the agent when a length was given', async () => {
    const bed = await fakeBed();
    const [applied] = await bed.board.apply([bed.board.plan({ ...HOLD, forMs: 20 })], never());
    expect(applied!.liftsAtNs! - applied!.appliedNs).to.equal(20e6);
    const record = await applied!.lifted;
    expect(record.liftedNs! - record.appliedNs!).to.be.at.least(15e6);
    expect(bed.fake.requests.find((request) => request.op === 'apply')).to.include({ forMs: 20 });
    expect(await bed.board.list()).to.deep.equal([]);
  });

  it('voids the trial when a fault outlasts the step that lifts it, and never when no step was due', async () => {
    const lift = async (lateMs: number | undefined, id?: string) => {
      const bed = await fakeBed();
      const [applied] = await bed.board.apply([bed.board.plan(HOLD)], never());
      const dueNs = lateMs === undefined ? undefined : monotonicNs() - lateMs * 1e6;
      if (id === '*') await bed.board.liftAll(dueNs);
      else await bed.board.lift(applied!.plan.id, dueNs);
      const { records, voids } = await bed.board.takeRecords();
      expect(records[0]?.dueNs).to.equal(dueNs);
      return voids;
    };
    expect(await lift(0)).to.deep.equal([]);
    expect(await lift(undefined)).to.deep.equal([]);
    expect((await lift(1_500)).join()).to.match(/^fault hold-1 was in force for 1\.5.* s in place of 0/);
    expect((await lift(1_500, '*')).join()).to.include('in force for 1.5');
  });

  it('holds of faults that are lifted one after another only the first against the step', async () => {
    const bed = await fakeBed();
    const plans = ['member-1', 'member-2'].map((on) => bed.board.plan({ ...HOLD, on }));
    await bed.board.apply(plans, never());
    await bed.board.liftAll(monotonicNs() - 2e9);
    const { voids } = await bed.board.takeRecords();
    expect(voids.map((reason) => reason.split(' ')[1])).to.deep.equal(['hold-2']);
  });

  it('applies several faults at one instant by one request', async () => {
    const bed = await fakeBed();
    const plans = [bed.board.plan(HOLD), bed.board.plan({ kind: 'drop', on: 'member-3', seed: 's' })];
    const applied = await bed.board.apply(plans, never());
    expect(bed.fake.requests.filter((request) => request.op === 'apply')).to.have.lengthOf(1);
    expect(applied[0]!.appliedNs).to.equal(applied[1]!.appliedNs);
    await bed.board.liftAll();
  });

  it('lifts everything, last in first out, and may be told twice', async () => {
    const bed = await fakeBed();
    await bed.board.apply([bed.board.plan({ ...HOLD, id: 'first' })], never());
    await bed.board.apply([bed.board.plan({ ...HOLD, id: 'second', on: 'member-3' })], never());
    await bed.board.liftAll();
    await bed.board.liftAll();
    const disarmed = bed.fake.requests.filter((each) => each.op === 'disarm').map((each) => each.ids);
    expect(disarmed).to.deep.equal([['second'], ['first']]);
  });

  it('tries every undo and reports all that failed in one error', async () => {
    const bed = await fakeBed();
    await bed.board.apply([bed.board.plan({ ...HOLD, id: 'a' })], never());
    await bed.board.apply([bed.board.plan({ ...HOLD, id: 'b' })], never());
    bed.fake.refuse.set('lift', 'broken');
    const error = await bed.board.liftAll().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(AggregateError);
    expect((error as AggregateError).errors).to.have.lengthOf(2);
    const records = await bed.board.records();
    expect(records.map((record) => record.gone)).to.deep.equal([false, false]);
    bed.fake.refuse.clear();
    await bed.board.liftAll();
    expect((await bed.agent.snapshot()).faults).to.deep.equal([]);
  });

  it('undoes what was armed when applying fails, and throws the reason', async () => {
    const bed = await fakeBed();
    bed.fake.refuse.set('apply', 'late');
    const error = await rejection(bed.board.apply([bed.board.plan(HOLD)], never()));
    expect(error.code).to.equal('agent-late');
    expect((await bed.agent.snapshot()).faults).to.deep.equal([]);
    expect(await bed.board.list()).to.deep.equal([]);
  });

  it('keeps nothing to lift of a fault that was refused while it was armed', async () => {
    const engine = { inspectContainer: async () => ({ running: false, paused: false }) } as unknown as Engine;
    const bed = await fakeBed({ engine });
    const plan = bed.board.plan({ kind: 'pause', on: 'member-1', seed: 's' });
    expect((await rejection(bed.board.apply([plan], never()))).message).to.match(/member-1.*run/);
    expect(await bed.board.list()).to.deep.equal([]);
    const [record] = await bed.board.records();
    expect(record).to.include({ id: plan.id, bit: false, gone: true });
    expect(record?.appliedNs).to.equal(undefined);
    await bed.board.liftAll();
  });

  it('undoes on its own time when applying was aborted', async () => {
    const bed = await fakeBed();
    const controller = new AbortController();
    const applying = bed.board.apply([bed.board.plan(HOLD)], controller.signal);
    controller.abort(new SquallError('interrupted', { code: 'interrupted' }));
    expect((await rejection(applying)).code).to.equal('interrupted');
    expect((await bed.agent.snapshot()).faults).to.deep.equal([]);
  });

  it('refuses zero targets, naming the selector', async () => {
    const bed = await fakeBed();
    expect(() => bed.board.plan({ ...HOLD, on: 'relay' }))
      .to.throw(SquallError, /"relay" matches no node/)
      .with.property('code', 'zero-targets');
  });

  it('refuses an id that is in force', async () => {
    const bed = await fakeBed();
    await bed.board.apply([bed.board.plan({ ...HOLD, id: 'a' })], never());
    const error = await rejection(bed.board.apply([bed.board.plan({ ...HOLD, id: 'a' })], never()));
    expect(error.message).to.match(/the id is in use/);
    expect(await bed.board.list()).to.have.lengthOf(1);
    await bed.board.liftAll();
  });

  it('says which faults are in force when told to lift another', async () => {
    const bed = await fakeBed();
    await bed.board.apply([bed.board.plan({ ...HOLD, id: 'a' })], never());
    expect((await rejection(bed.board.lift('b'))).message).to.match(/not in force; in force: a/);
    await bed.board.liftAll();
  });

  it('voids the trial at once when the agent dies, and leaves no promise pending', async () => {
    const bed = await fakeBed();
    const events: BoardEvent[] = [];
    bed.board.onEvent((event) => events.push(event));
    const [applied] = await bed.board.apply([bed.board.plan(HOLD)], never());
    bed.fake.die();
    const record = await applied!.lifted;
    expect(record.gone).to.equal(false);
    expect(record.problems.join()).to.match(/packet agent: its output ended/);
    expect(bed.board.voids().join()).to.match(/packet agent/);
    expect(events.map(({ event }) => event)).to.include('agent.lost');
  });

  for (const [count, sentence] of [
    ['overflowed', /overflowed a queue/],
    ['enobufs', /ENOBUFS/],
    ['kernelDropped', /kernel dropped packets/],
  ] as const) {
    it(`voids the trial when the agent counted ${count}`, async () => {
      const bed = await fakeBed();
      const [applied] = await bed.board.apply([bed.board.plan({ ...HOLD, id: 'h' })], never());
      udp(bed, 'member-1', 1);
      bed.fake.count('h', 'member-1', { [count]: 2 });
      await bed.board.lift('h');
      await applied!.lifted;
      expect(bed.board.voids().join()).to.match(sentence);
      const taken = await bed.board.takeRecords();
      expect(taken.voids.join()).to.match(sentence);
      expect(bed.board.voids()).to.deep.equal([]);
    });
  }

  it('applies a fault again in the new namespace of a restarted target, for what remains of it', async () => {
    const bed = await fakeBed();
    const [applied] = await bed.board.apply([bed.board.plan({ ...HOLD, id: 'h', forMs: 5_000 })], never());
    await bed.board.nodeRestarted('member-1', never());
    await bed.board.nodeRestarted('member-4', never());
    const again = bed.fake.requests.filter((request) => request.op === 'apply')[1];
    expect(again?.ids).to.deep.equal(['h~2']);
    expect(again?.forMs).to.be.within(1, 5_000);
    udp(bed, 'member-1', 4);
    await bed.board.lift('h');
    expect((await applied!.lifted).witness?.perNode?.['member-1']).to.include({ heldIn: 8 });
    expect((await bed.agent.snapshot()).faults).to.deep.equal([]);
  });

  it('tells how long a restarted target ran before the fault acted on it again', async () => {
    const bed = await fakeBed();
    const nodes = bed.nodes().map((node) => ({ ...node, startedNs: monotonicNs() - 400e6 }));
    bed.nodes = () => nodes;
    const [applied] = await bed.board.apply([bed.board.plan({ ...HOLD, id: 'h' })], never());
    await bed.board.nodeRestarted('member-1', never());
    await bed.board.lift('h');
    const { gone, problems } = await applied!.lifted;
    expect(gone).to.equal(true);
    expect(problems.filter((text) => text.startsWith('member-1 began anew'))).to.have.length(1);
    expect(problems.join()).to.match(
      /its new process ran for ([4-9]\d\d ms|[\d.]+ s) before the fault acted/,
    );
  });

  it('lists what is in force with live counts', async () => {
    const bed = await fakeBed();
    await bed.board.apply([bed.board.plan({ ...HOLD, id: 'h', forMs: 60_000 })], never());
    udp(bed, 'member-2', 5);
    const [status] = await bed.board.list();
    expect(status).to.include({ id: 'h', kind: 'hold', state: 'in force', forMs: 60_000 });
    expect(status?.counts).to.include({ heldIn: 5 });
    expect(status?.leftMs).to.be.within(1, 60_000);
    await bed.board.liftAll();
  });
});
