import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Engine } from '../../engine/index.ts';
import { sweep } from '../sweep.ts';
import { OwnerProcess } from './owner-process.ts';
import { freshName, isGone, testEngine, until } from './test-bed.ts';

/** Stages after which the owner is killed, and a little later than that, drawn anew at every run. */
const MOMENTS = ['creating', 'up', 'faulted', 'reset', 'removing'] as const;
const MOST_LATER_MS = 600;

/** Kills for each moment; the make target for thirty sets 6. */
const KILLS = Number(process.env['SQUALL_KILLS_PER_MOMENT'] ?? 1);

describe('a run whose owner is killed', function () {
  this.timeout(180_000);
  let engine: Engine;
  before(async () => {
    engine = await testEngine();
  });
  after(() => engine.close());

  for (const stage of MOMENTS) {
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const laterMs = Math.round(Math.random() * MOST_LATER_MS);
      it(`leaves no container, network, volume or process behind: killed ${laterMs} ms after "${stage}"`, async () => {
        const runId = freshName('kill');
        const owner = new OwnerProcess(runId);
        try {
          await owner.reached(stage);
          await sleep(laterMs);
        } finally {
          await owner.kill();
        }
        await until(() => isGone(engine, 'run', runId));
        await until(() => owner.pids.every((pid) => !existsSync(`/proc/${pid}`)));
        // A request that was under way may still make something after the first empty listing: it goes as well.
        await sleep(2_500);
        expect(await isGone(engine, 'run', runId)).to.equal(true);
      });
    }
  }

  it('has its faults lifted by the agent itself, before any watchdog acts', async () => {
    const runId = freshName('kill');
    const owner = new OwnerProcess(runId, 4);
    try {
      await owner.reached('faulted');
      process.kill(owner.watchdogPid, 'SIGSTOP');
      const [held] = owner.pids;
      expect(boundQueues(held)).to.be.greaterThan(0);
      await owner.kill();
      await until(() => boundQueues(held) === 0);
      const nodes = await engine.listContainers([`squall.run=${runId}`, 'squall.kind=node']);
      expect(nodes.map(({ state }) => state)).to.deep.equal(Array(4).fill('running'));
      await until(
        async () => (await engine.listContainers([`squall.run=${runId}`, 'squall.kind=agent'])).length === 0,
      );
    } finally {
      await owner.kill();
      process.kill(owner.watchdogPid, 'SIGCONT');
    }
    await until(() => isGone(engine, 'run', runId));
  });

  it('is swept by another process when its watchdog was killed as well, and living runs are not', async () => {
    const dead = new OwnerProcess(freshName('kill'));
    const living = new OwnerProcess(freshName('kill'));
    try {
      await Promise.all([dead.reached('up'), living.reached('up')]);
      process.kill(dead.watchdogPid, 'SIGKILL');
      await dead.kill();
      const decisions = async (dryRun: boolean) => {
        const { groups } = await sweep(engine, { dryRun });
        const of = (owner: OwnerProcess) => groups.find(({ runId }) => runId === owner.runId);
        return { dead: of(dead), living: of(living) };
      };
      const planned = await decisions(true);
      expect(planned.dead).to.include({ decision: 'remove', owner: 'dead', containers: 4, networks: 1 });
      expect(planned.living).to.include({ decision: 'leave', owner: 'alive' });
      expect(await isGone(engine, 'run', dead.runId), 'a dry run removed something').to.equal(false);
      expect((await decisions(false)).dead).to.include({ outcome: 'removed' });
      expect(await isGone(engine, 'run', dead.runId)).to.equal(true);
      await living.reached('removed');
    } finally {
      await Promise.all([dead.kill(), living.kill()]);
    }
    await until(() => isGone(engine, 'run', living.runId));
  });

  it('gets another watchdog when somebody kills the one it has', async () => {
    const runId = freshName('kill');
    const owner = new OwnerProcess(runId);
    await owner.reached('up');
    process.kill(owner.watchdogPid, 'SIGKILL');
    // The replacement is a child of the owner, and not the one that was killed.
    await until(() => childrenOf(owner.child.pid ?? 0).some((pid) => pid !== owner.watchdogPid));
    await owner.reached('faulted');
    await owner.kill();
    await until(() => isGone(engine, 'run', runId));
  });
});

/** Queues that some process serves in the network namespace of this one. */
function boundQueues(pid: number | undefined): number {
  const text = readFileSync(`/proc/${pid}/net/netfilter/nfnetlink_queue`, 'utf8');
  return text.split('\n').filter((line) => line.trim() !== '').length;
}

function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  );
}

describe('two runs at once', function () {
  this.timeout(180_000);

  it('never touch each other: one is killed, the other goes on to its end and exits by itself', async () => {
    const engine = await testEngine();
    const killed = new OwnerProcess(freshName('two'));
    const living = new OwnerProcess(freshName('two'));
    try {
      await Promise.all([killed.reached('faulted'), living.reached('up')]);
      await killed.kill();
      await living.reached('removed');
      expect(await living.ended()).to.equal(0);
      expect(existsSync(`/proc/${living.watchdogPid}`), 'the watchdog was not dismissed').to.equal(false);
      for (const { pids } of [killed, living]) expect(pids).to.have.length(3);
      expect(killed.pids.filter((pid) => living.pids.includes(pid))).to.deep.equal([]);
    } finally {
      await Promise.all([killed.kill(), living.kill()]);
      engine.close();
    }
  });
});
