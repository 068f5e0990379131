import { readFile, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { readCgroup } from '../resource/cgroup-limits.ts';
import { never } from './fake-bed.ts';
import { type RealBed, startRealBed } from './real-bed.ts';

const MIB = 1024 * 1024;

describe('resource faults and 421 storms on real containers', function () {
  this.timeout(120_000);
  let bed: RealBed;

  before(async () => {
    bed = await startRealBed({ nodes: 2, tmpfs: { '/data': 'size=8m' } });
  });
  after(() => bed.remove());
  afterEach(() => bed.board.liftAll());

  const limitsOf = (name: string) => readCgroup(bed.node(name).pid);
  const inNode = (name: string, path: string) => join(`/proc/${bed.node(name).pid}/root`, path);

  it('gives a node a share of the processor, shown by the kernel, and takes it back', async () => {
    const before = await limitsOf('node-1');
    const plan = bed.board.plan({
      id: 'q',
      kind: 'cpu-quota',
      on: 'node-1',
      seed: 's',
      settings: { cpus: 0.1 },
    });
    const [applied] = await bed.board.apply([plan], never());
    expect((await limitsOf('node-1')).cpus).to.equal(0.1);
    await bed.board.lift('q');
    const record = await applied!.lifted;
    expect(record).to.include({ bit: true, gone: true });
    expect(record.witness).to.include({ source: 'kernel' });
    expect((await limitsOf('node-1')).cpus).to.equal(before.cpus ?? bed.engine.info.cpus);
  });

  it('limits the memory of a node, and gives it all back', async () => {
    const settings = { memoryBytes: '64MiB' };
    const plan = bed.board.plan({ id: 'm', kind: 'memory-limit', on: 'node-2', seed: 's', settings });
    const [applied] = await bed.board.apply([plan], never());
    expect((await limitsOf('node-2')).memoryBytes).to.equal(64 * MIB);
    expect((await limitsOf('node-1')).memoryBytes ?? Number.POSITIVE_INFINITY).to.be.above(64 * MIB);
    await bed.board.lift('m');
    expect(await applied!.lifted).to.include({ bit: true, gone: true });
    expect((await limitsOf('node-2')).memoryBytes).to.be.above(1024 * MIB);
  });

  it('fills a tmpfs so that writes fail with ENOSPC, and frees it again', async () => {
    const plan = bed.board.plan({
      id: 'd',
      kind: 'disk-full',
      on: 'node-1',
      seed: 's',
      settings: { path: '/data' },
    });
    const [applied] = await bed.board.apply([plan], never());
    const failure = await writeFile(inNode('node-1', '/data/more'), 'x'.repeat(10_000)).catch(
      (error) => error,
    );
    expect(failure).to.have.property('code', 'ENOSPC');
    await bed.board.lift('d');
    const record = await applied!.lifted;
    expect(record).to.include({ bit: true, gone: true });
    expect(record.witness?.counts.filledBytes).to.be.within(7 * MIB, 8 * MIB);
    const { bavail, bsize } = await statfs(inNode('node-1', '/data'));
    expect(bavail * bsize).to.be.above(7 * MIB);
  });

  it('leaves free what it was told to leave', async () => {
    const settings = { path: '/data', leaveBytes: '2MiB' };
    await bed.board.apply(
      [bed.board.plan({ id: 'd', kind: 'disk-full', on: 'node-1', seed: 's', settings })],
      never(),
    );
    const { bavail, bsize } = await statfs(inNode('node-1', '/data'));
    expect(bavail * bsize).to.equal(2 * MIB);
    await bed.board.lift('d');
  });

  for (const [what, path, sentence] of [
    ['a real disk', '/', /no tmpfs; a real disk is never filled/],
    ['a path that leads out of the node', '/data/../..', /absolute path without/],
    ['a path that is not there', '/nowhere', /does not exist/],
  ] as const) {
    it(`never fills ${what}`, async () => {
      const request = { kind: 'disk-full', on: 'node-1', seed: 's', settings: { path } } as const;
      const error = await Promise.resolve()
        .then(() => bed.board.apply([bed.board.plan(request)], never()))
        .catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(SquallError).with.property('blame', 'input');
      expect((error as SquallError).message).to.match(sentence);
    });
  }

  it('refuses at planning time to fake the clock of a static binary', () => {
    const request = { kind: 'clock-offset', on: 'node-1', seed: 's', settings: { offsetMs: '1h' } } as const;
    expect(() => bed.board.plan(request))
      .to.throw(SquallError, /statically linked/)
      .with.property('code', 'fault-unavailable');
  });

  it('switches a 421 storm on at the node, counts its answers, and switches it off', async () => {
    expect(await bed.work('node-1')).to.equal(200);
    const [applied] = await bed.board.apply(
      [bed.board.plan({ id: 'st', kind: 'storm-421', on: 'node-1', seed: 's' })],
      never(),
    );
    expect([await bed.work('node-1'), await bed.work('node-1')]).to.deep.equal([421, 421]);
    expect(await bed.work('node-2')).to.equal(200);
    await bed.board.lift('st');
    const record = await applied!.lifted;
    expect(record).to.include({ bit: true, gone: true });
    expect(record.witness).to.deep.include({ source: 'node', counts: { storm421: 2 } });
    expect(await bed.work('node-1')).to.equal(200);
  });

  it('keeps a storm and a full disk in force over a restart of their node', async () => {
    const plans = [
      bed.board.plan({ id: 'st', kind: 'storm-421', on: 'node-2', seed: 's', mustShow: {} }),
      bed.board.plan({ id: 'd', kind: 'disk-full', on: 'node-2', seed: 's' }),
    ];
    const applied = await bed.board.apply(plans, never());
    const [restart] = await bed.board.apply(
      [bed.board.plan({ kind: 'restart', on: 'node-2', seed: 's' })],
      never(),
    );
    expect(await restart!.lifted).to.include({ bit: true, gone: true });
    expect(await bed.work('node-2')).to.equal(421);
    expect((await readFile(inNode('node-2', '/data/.squall-fill-d'))).length).to.be.above(7 * MIB);
    await bed.board.liftAll();
    for (const fault of applied) expect(await fault.lifted).to.include({ bit: true, gone: true });
  });
});
