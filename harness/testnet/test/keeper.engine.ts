import { statSync } from 'node:fs';
import { expect } from 'chai';
import type { Engine } from '../../engine/index.ts';
import type { BedStatus } from '../bed-status.ts';
import { connectKeeper, type KeeperClient, livingBeds } from '../keeper-client.ts';
import { listKeepers, socketPath } from '../keeper-files.ts';
import type { HubLine } from '../line-hub.ts';
import { parseOwner } from '../owner.ts';
import { keepBed, spawnKeeper } from '../spawn-keeper.ts';
import { sweep } from '../sweep.ts';
import { OwnerProcess } from './owner-process.ts';
import { freshName, isGone, memberTopology, rejection, startTestBed, testEngine, until } from './test-bed.ts';

const COUNT = 3;

function isUp(bedId: string): boolean {
  return livingBeds().some(({ card }) => card.bedId === bedId);
}

describe('a kept bed', function () {
  this.timeout(180_000);
  let engine: Engine;
  let bedId: string;
  let one: KeeperClient;
  let other: KeeperClient;
  before(async () => {
    engine = await testEngine();
    bedId = freshName('kept');
    const topology = memberTopology(COUNT);
    await spawnKeeper({ endpoint: engine.info.endpoint, runId: bedId, bedId, seed: 'test', topology });
    one = await connectKeeper({ bed: bedId });
    other = await connectKeeper({ bed: bedId });
  });
  after(async () => {
    other?.close();
    one?.close();
    if (isUp(bedId)) {
      using last = await connectKeeper({ bed: bedId });
      await last.request('down');
    }
    engine.close();
  });

  const status = async (client: KeeperClient): Promise<BedStatus> =>
    (await client.request('status')) as BedStatus;

  it('answers every client what its nodes say of themselves', async () => {
    await until(async () => {
      const { nodes } = await status(one);
      return nodes.every(
        ({ state }) => (state?.['counts'] as { alive?: number } | undefined)?.alive === COUNT,
      );
    });
    const [mine, theirs] = await Promise.all([status(one), status(other)]);
    expect(mine.nodes.map(({ name, container }) => [name, container])).to.deep.equal(
      theirs.nodes.map(({ name }) => [name, 'running']),
    );
  });

  it('has a socket for its user alone', () => {
    expect(statSync(socketPath(bedId)).mode & 0o777).to.equal(0o600);
  });

  it('shows one client the fault that another made, with counts, and lets a third lift it', async () => {
    const request = { kind: 'hold', on: 'member[1..2]' };
    const { plan } = (await one.request('fault.apply', { request })) as {
      plan: { id: string; targets: string[] };
    };
    expect(plan.targets).to.deep.equal(['member-1', 'member-2']);
    await until(async () => {
      const { active } = (await other.request('fault.list')) as {
        active: { id: string; counts: Record<string, number> }[];
      };
      const counts = active.find(({ id }) => id === plan.id)?.counts ?? {};
      return (counts['heldIn'] ?? 0) + (counts['heldOut'] ?? 0) > 0;
    });
    using third = await connectKeeper({ bed: bedId });
    const { lifted } = (await third.request('fault.lift', { id: plan.id })) as {
      lifted: { bit: boolean; gone: boolean }[];
    };
    expect(lifted).to.have.length(1);
    expect(lifted[0]).to.include({ bit: true, gone: true });
    expect(((await one.request('fault.list')) as { active: unknown[] }).active).to.deep.equal([]);
  });

  it('goes on with a fault whose client has gone, until its time is over', async () => {
    const fleeting = await connectKeeper({ bed: bedId });
    const { plan } = (await fleeting.request('fault.apply', {
      request: { kind: 'drop', on: 'member-3', forMs: 1_500 },
    })) as { plan: { id: string } };
    fleeting.close();
    const list = async () =>
      (await one.request('fault.list')) as {
        active: { id: string }[];
        finished: { id: string; gone: boolean }[];
      };
    expect((await list()).active.map(({ id }) => id)).to.deep.equal([plan.id]);
    await until(async () => (await list()).active.length === 0);
    expect((await list()).finished.find(({ id }) => id === plan.id)).to.include({ gone: true });
  });

  it('follows logs for one client while it serves the other', async () => {
    const lines: HubLine[] = [];
    const stop = new AbortController();
    const following = rejection(
      one.request(
        'logs',
        { selector: 'member[1..2]', follow: true, tail: 1 },
        { onChunk: (chunk) => lines.push(chunk as HubLine), signal: stop.signal },
      ),
    );
    await until(() => lines.length >= 2);
    await other.request('reset', { selector: 'member-2' });
    await until(() => lines.some(({ node, line }) => node === 'member-2' && line.includes('"epoch":1')));
    stop.abort(new Error('enough'));
    expect((await following).message).to.equal('enough');
    expect(new Set(lines.map(({ node }) => node))).to.deep.equal(new Set(['member-1', 'member-2']));
  });

  it('gives back what a program in a node said and how it ended', async () => {
    const done = (await one.request('exec', { node: 'member-1', command: ['/no/such/program'] })) as {
      exitCode: number;
    };
    expect(done.exitCode).to.be.oneOf([126, 127]);
  });

  it('says what is wrong with a request, as an error of the one who asked', async () => {
    for (const [op, params, code] of [
      ['nonsense', {}, 'no-such-operation'],
      ['exec', { node: 'member-1' }, 'bad-request'],
      ['logs', { selector: 'member[7]' }, 'zero-targets'],
      ['fault.apply', { request: { kind: 'hold', on: 'member-9' } }, 'unknown-node'],
      ['fault.apply', { request: { kind: 'hold', on: 'member-1' }, wait: true }, 'bad-fault'],
      ['fault.lift', { id: 'none' }, 'no-such-fault'],
    ] as const) {
      const error = (await rejection(one.request(op, params))) as Error & { code: string; blame: string };
      expect([op, error.code, error.blame]).to.deep.equal([op, code, 'input']);
    }
  });

  it('refuses a second bed of its name', async () => {
    const topology = memberTopology(2);
    const again = spawnKeeper({
      endpoint: engine.info.endpoint,
      runId: `${bedId}-2`,
      bedId,
      seed: 'x',
      topology,
    });
    expect((await rejection(again)).code).to.equal('bed-exists');
    expect(isUp(bedId)).to.equal(true);
  });

  it('is left alone by a sweep', async () => {
    const report = await sweep(engine, { dryRun: true });
    expect(report.groups.find((group) => group.bedId === bedId)).to.include({
      decision: 'leave',
      kept: true,
      owner: 'alive',
    });
  });

  it('is gone after "down", with its card and socket', async () => {
    await one.request('down');
    await until(() => !isUp(bedId));
    expect(await isGone(engine, 'bed', bedId)).to.equal(true);
    expect(() => statSync(socketPath(bedId))).to.throw(/ENOENT/);
    expect((await rejection(connectKeeper({ bed: bedId }))).code).to.equal('no-bed');
  });
});

describe('the keeper of a bed', function () {
  this.timeout(180_000);
  let engine: Engine;
  before(async () => {
    engine = await testEngine();
  });
  after(() => engine.close());

  const pidOf = (bedId: string): number =>
    parseOwner(listKeepers().find(({ card }) => card.bedId === bedId)?.card.owner)?.pid ?? 0;

  it('is followed by its watchdog when it is killed', async () => {
    const bedId = freshName('kept');
    await spawnKeeper({
      endpoint: engine.info.endpoint,
      runId: bedId,
      bedId,
      seed: 'x',
      topology: memberTopology(2),
    });
    process.kill(pidOf(bedId), 'SIGKILL');
    await until(() => isGone(engine, 'run', bedId));
    expect(listKeepers().find(({ card }) => card.bedId === bedId)?.life).to.equal('dead');
    await sweep(engine, { dryRun: false });
    expect(listKeepers().find(({ card }) => card.bedId === bedId)).to.equal(undefined);
  });

  it('takes its bed down when it is asked to end', async () => {
    const bedId = freshName('kept');
    await spawnKeeper({
      endpoint: engine.info.endpoint,
      runId: bedId,
      bedId,
      seed: 'x',
      topology: memberTopology(2),
    });
    process.kill(pidOf(bedId), 'SIGTERM');
    await until(() => !isUp(bedId));
    expect(await isGone(engine, 'run', bedId)).to.equal(true);
  });

  it('leaves nothing when the start is aborted', async () => {
    const bedId = freshName('kept');
    const stop = new AbortController();
    const order = {
      endpoint: engine.info.endpoint,
      runId: bedId,
      bedId,
      seed: 'x',
      topology: memberTopology(4),
    };
    const starting = spawnKeeper(order, {
      signal: stop.signal,
      onProgress: ({ stage }) => {
        if (stage === 'nodes') stop.abort(new Error('enough'));
      },
    });
    expect((await rejection(starting)).message).to.equal('enough');
    expect(await isGone(engine, 'run', bedId)).to.equal(true);
  });

  it('takes over a living bed with its nodes as they are', async () => {
    const bed = await startTestBed(engine, memberTopology(COUNT));
    await bed.resetTo(memberTopology(COUNT, 'both'));
    const pids = bed.nodes().map(({ pid }) => pid);
    await keepBed(bed);
    using keeper = await connectKeeper({ bed: bed.id });
    const before = (await keeper.request('status')) as BedStatus;
    expect(before.nodes.map(({ pid }) => pid)).to.deep.equal(pids);
    expect(before.nodes.map(({ variant }) => variant)).to.deep.equal(Array(COUNT).fill('both'));
    const applied = await keeper.request('fault.apply', {
      request: { kind: 'drop', on: 'member-1', forMs: 500 },
      wait: true,
    });
    expect((applied as { record: { gone: boolean } }).record.gone).to.equal(true);

    // A member that is killed and comes back does so as the reset had made it, in the generation of the others.
    await keeper.request('fault.apply', { request: { kind: 'kill', on: 'member-2', id: 'away' } });
    await keeper.request('fault.lift', { id: 'away' });
    await until(async () => {
      const { nodes } = (await keeper.request('status')) as BedStatus;
      const [, back] = nodes;
      const counts = back?.state?.['counts'] as { readonly alive?: number } | undefined;
      return back?.state?.['variant'] === 'both' && counts?.alive === COUNT;
    });
    await keeper.request('down');
    expect(await isGone(engine, 'bed', bed.id)).to.equal(true);
  });

  it('is not followed by the watchdog of the run that gave it its bed, when that is killed', async () => {
    const runId = freshName('give');
    const giver = new OwnerProcess(runId, 0, 'giver');
    try {
      await giver.reached('given');
    } finally {
      await giver.kill();
    }
    // The watchdog ends when it has found everything gone that it still answers for.
    await until(() => !giver.watchdogLives());
    expect(await isGone(engine, 'bed', `${runId}-own`), 'the bed that was not given').to.equal(true);
    using keeper = await connectKeeper({ bed: `${runId}-given` });
    const { nodes } = (await keeper.request('status')) as BedStatus;
    expect(nodes.map(({ container }) => container)).to.deep.equal(['running']);
    const { groups } = await sweep(engine, { dryRun: true });
    expect(groups.find((group) => group.runId === runId)).to.include({ decision: 'leave', kept: true });
    await keeper.request('down');
    await until(() => !isUp(`${runId}-given`));
    expect(await isGone(engine, 'run', runId)).to.equal(true);
  });

  it('is swept with its bed when that is older than asked, and only then', async () => {
    const bedId = freshName('kept');
    await spawnKeeper({
      endpoint: engine.info.endpoint,
      runId: bedId,
      bedId,
      seed: 'x',
      topology: memberTopology(2),
    });
    const young = await sweep(engine, { dryRun: true, olderThanMs: 3_600_000 });
    expect(young.groups.find((group) => group.bedId === bedId)?.decision).to.equal('leave');
    const old = await sweep(engine, { dryRun: true, olderThanMs: 1 });
    expect(old.groups.find((group) => group.bedId === bedId)?.decision).to.equal('remove');
    process.kill(pidOf(bedId), 'SIGTERM');
    await until(() => !isUp(bedId));
  });
});
