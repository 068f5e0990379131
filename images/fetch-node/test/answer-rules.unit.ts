import { expect } from 'chai';
import { keyOf } from '../chunk-key.ts';
import { TIMEOUT_MS } from './queue-world.ts';
import { rule, variant } from './rule-test.ts';
import { answering, busy, chunk, type Holder, silent, upTo, WorkerWorld } from './worker-world.ts';

describe('an answer', () => {
  rule(
    'countEarlyAnswers',
    'outdates an older timeout while its chunk is still being written',
    async (one) => {
      // Key 0 is never answered, key 1 after 10 ms; writing takes until long after the timeout of key 0.
      const holder: Holder = (attempt, outstanding) =>
        attempt.key === keyOf(chunk(0)) ? undefined : answering()(attempt, outstanding);
      const world = new WorkerWorld(one, { H: holder }, { store: () => ({ afterMs: 3 * TIMEOUT_MS }) });
      world.want([0], 'H');
      await world.clock.leap(1);
      world.want([1], 'H');
      await world.clock.leap(TIMEOUT_MS);
      return world.health.standing('H') === 'answering' && world.outcomes()['timeout'] === 1;
    },
  );

  rule('anyPayloadAnswers', 'counts when it says that there is no such chunk', async (one) => {
    const holder: Holder = () => ({ afterMs: 10, answer: { kind: 'not-found' } });
    const world = new WorkerWorld(one, { H: holder });
    world.want([0], 'H');
    await world.clock.leap(100);
    return world.outcomes()['failed'] === 1 && world.health.standing('H') === 'answering';
  });

  rule('localFailureSpares', 'counts when its chunk cannot be written', async (one) => {
    const world = new WorkerWorld(one, { H: answering() }, { store: () => ({ afterMs: 50, fails: true }) });
    world.want([0], 'H');
    await world.clock.leap(100);
    return world.outcomes()['failed'] === 1 && world.health.standing('H') === 'answering';
  });

  it('whose chunk is not the one asked for is a failure of an answering source', async () => {
    const holder: Holder = () => ({ afterMs: 10, answer: { kind: 'chunk', bytes: chunk(7) } });
    const world = new WorkerWorld(variant('share'), { A: holder, B: answering() });
    world.want([0], 'A', 'B');
    await world.clock.leap(100);
    expect(world.finished.map(({ outcome, reason }) => `${outcome} ${reason}`)).to.deep.equal([
      'failed bad chunk',
      'ok ',
    ]);
    expect(world.health.silent()).to.deep.equal([]);
  });

  it('that comes after its attempt was given up changes nothing', async () => {
    const world = new WorkerWorld(variant('share'), { H: answering(100) });
    world.want([0], 'H');
    await world.clock.leap(50);
    world.worker.cancel(keyOf(chunk(0)));
    await world.clock.leap(100);
    expect(world.outcomes()).to.deep.equal({ cancelled: 1 });
    expect(world.queue.inFlight('H')).to.equal(0);
  });

  it('of a full disk sends the key back to verification, once', async () => {
    const world = new WorkerWorld(
      variant('share'),
      { A: answering(), B: answering() },
      { store: () => ({ afterMs: 1, fails: true }) },
    );
    world.want([0], 'A', 'B');
    await world.clock.leap(1_000);
    expect(world.requests).to.equal(1);
    expect(world.pending.has(keyOf(chunk(0)))).to.equal(true);
  });
});

describe('a worker', () => {
  rule(
    'busyWaitCutShort',
    'ends the wait for a busy holder at the timeout of its own attempt',
    async (one) => {
      const world = new WorkerWorld(one, { A: busy(4 * TIMEOUT_MS), B: answering() });
      world.want([0], 'A', 'B');
      await world.clock.leap(TIMEOUT_MS);
      return world.outcomes()['busy'] === 1;
    },
  );

  it('tells of a busy holder with what is left of its cooldown', async () => {
    const world = new WorkerWorld(variant('share+busy'), { A: busy(700) });
    world.want([0, 1], 'A');
    await world.clock.leap(100);
    expect(world.cooling).to.deep.equal(['A 700', 'A 1400']);
  });

  it('asks a busy holder no more than once a timeout when all are busy, and once a round trip when it rotates', async () => {
    const holders = { A: busy(4 * TIMEOUT_MS), B: busy(4 * TIMEOUT_MS), C: busy(4 * TIMEOUT_MS) };
    const requests = async (rotateOnBusy: boolean): Promise<number> => {
      const world = new WorkerWorld(variant('share+busy'), holders, { rotateOnBusy });
      world.want([0], 'A', 'B', 'C');
      await world.clock.leap(TIMEOUT_MS - 1);
      return world.requests;
    };
    expect(await requests(false)).to.equal(1);
    expect(await requests(true)).to.equal(3);
  });

  it('goes on with the next source when one departs with fetches under way', async () => {
    const world = new WorkerWorld(variant('share'), { A: silent, B: answering() });
    world.want([0, 1, 2], 'A', 'B');
    await world.clock.leap(1);
    world.worker.depart('A');
    await world.clock.leap(100);
    expect(world.outcomes()).to.deep.equal({ cancelled: 2, ok: 3 });
    expect(world.worker.running).to.equal(0);
  });

  it('has nothing under way once it was stopped, and starts nothing more', async () => {
    const world = new WorkerWorld(variant('share'), { A: silent });
    world.want(upTo(5), 'A');
    await world.clock.leap(1);
    world.worker.stop();
    world.want(upTo(5, 10), 'A');
    await world.clock.leap(1);
    expect(world.outcomes()).to.deep.equal({ cancelled: 2 });
    expect(world.worker.running).to.equal(0);
  });
});
