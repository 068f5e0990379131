import { expect } from 'chai';
import { TIMEOUT_MS } from './queue-world.ts';
import { variant } from './rule-test.ts';
import { answering, silent, upTo, WorkerWorld } from './worker-world.ts';

async function drain(name: string, keys: number, slots: number, holder = silent): Promise<WorkerWorld> {
  const world = new WorkerWorld(variant(name), { H: holder }, { concurrency: slots });
  world.want(upTo(keys), 'H');
  await world.clock.leap(500_000);
  return world;
}

const drainedS = async (name: string, keys: number, slots: number): Promise<number> =>
  ((await drain(name, keys, slots)).drainedMs ?? Number.NaN) / 1_000;

describe('one answering holder with twelve keys, eight slots', () => {
  it('never has more than two in flight with the change, and nothing is dropped', async () => {
    const world = await drain('share', 12, 8, answering());
    expect(world.most.get('H')).to.equal(2);
    expect(world.outcomes()).to.deep.equal({ ok: 12 });
    expect(world.drainedMs).to.be.lessThan(100);
  });

  it('drops requests before it, each of which costs its timeout', async () => {
    const world = await drain('before', 12, 8, answering());
    expect(world.most.get('H')).to.equal(8);
    expect(world.outcomes()['timeout']).to.be.greaterThanOrEqual(6);
    expect(world.drainedMs).to.be.at.least(TIMEOUT_MS);
  });
});

describe('one silent holder with sixteen keys, eight slots, five seconds', () => {
  it('drains in three timeouts with the change, in two before it, in eight with a limit that knows no silence', async () => {
    expect(await drainedS('share', 16, 8)).to.equal(15);
    expect(await drainedS('before', 16, 8)).to.equal(10);
    expect(await drainedS('no-silence', 16, 8)).to.equal(40);
  });

  it('is fetched from past the share after the first timeouts', async () => {
    const world = new WorkerWorld(variant('share'), { H: silent });
    world.want(upTo(16), 'H');
    await world.clock.leap(TIMEOUT_MS - 1);
    expect(world.most.get('H')).to.equal(2);
    await world.clock.leap(1);
    expect(world.most.get('H')).to.equal(8);
    // Of the nine that start then, two are within the share: the first, and the one whose place the second had.
    expect(world.queue.counts.pastMark).to.equal(7);
  });
});

describe('the cost of noticing silence', () => {
  it('is T × (1 + ceil((N − 2) / C)) against T × ceil(N / C), for N > 2 and C ≥ 2', async () => {
    for (const slots of [2, 3, 4, 8, 16]) {
      for (const keys of [3, 4, 7, 16, 33]) {
        const [after, before] = [await drainedS('share', keys, slots), await drainedS('before', keys, slots)];
        const point = `${keys} keys, ${slots} slots`;
        expect(after, point).to.equal((TIMEOUT_MS / 1_000) * (1 + Math.ceil((keys - 2) / slots)));
        expect(before, point).to.equal((TIMEOUT_MS / 1_000) * Math.ceil(keys / slots));
      }
    }
  });

  it('is nothing with one slot: there is no share to pass', async () => {
    for (const keys of [3, 7])
      expect(await drainedS('share', keys, 1)).to.equal(await drainedS('before', keys, 1));
  });
});
