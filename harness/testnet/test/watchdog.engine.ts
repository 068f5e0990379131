import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Engine } from '../../engine/index.ts';
import { boundQueues } from '../../torture/node-processes.ts';
import { readStartTicks } from '../owner.ts';
import { sweep } from '../sweep.ts';
import { OwnerProcess } from './owner-process.ts';
import { freshName, isGone, testEngine, until } from './test-bed.ts';

/** Contracts, "Host": faults are lifted so soon after kill -9. */
const LIFTED_WITHIN_MS = 2_000;

describe('a run whose owner is killed', function () {
  this.timeout(180_000);
  let engine: Engine;
  before(async () => {
    engine = await testEngine();
  });
  after(() => engine.close());

  it('leaves no container, network or process behind when it is killed while its bed is reset', async () => {
    const runId = freshName('kill');
    const owner = new OwnerProcess(runId);
    try {
      await owner.reached('resetting');
    } finally {
      await owner.kill();
    }
    const lives = (pid: number): boolean => readStartTicks(pid) !== undefined;
    await until(() => !lives(owner.watchdogPid));
    expect(await isGone(engine, 'run', runId)).to.equal(true);
    expect(owner.pids.filter(lives)).to.deep.equal([]);
  });

  it('has its faults lifted by the agent itself, before any watchdog acts', async () => {
    const runId = freshName('kill');
    const owner = new OwnerProcess(runId, 4);
    try {
      await owner.reached('faulted');
      process.kill(owner.watchdogPid, 'SIGSTOP');
      const held = owner.pids[0] ?? 0;
      expect(boundQueues(held)).to.be.greaterThan(0);
      await owner.kill();
      const killedMs = performance.now();
      await until(() => boundQueues(held) === 0);
      const liftedMs = performance.now() - killedMs;
      console.log(`      lifted after ${(liftedMs / 1_000).toFixed(2)} s of ${LIFTED_WITHIN_MS / 1_000} s`);
      expect(liftedMs).to.be.at.most(LIFTED_WITHIN_MS);
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
