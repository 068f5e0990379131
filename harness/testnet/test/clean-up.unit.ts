import { expect } from 'chai';
import type { Engine } from '../../engine/index.ts';
import { SquallError } from '../../errors/index.ts';
import { Gate, mapBounded, tryEach, withinOrStopped } from '../bounded.ts';
import { withGeneration } from '../container-spec.ts';
import { exitCause } from '../follow-node.ts';
import { showControl } from '../live-node.ts';
import { removeResources } from '../remove-resources.ts';
import { judgeGroup } from '../sweep.ts';
import { rejection } from './test-bed.ts';

/** An engine that has containers, of which some resist for a while. */
function engineWith(
  containers: Record<string, { readonly resists?: number; readonly bed?: string }>,
  leavingHangs = false,
) {
  const left = new Map(
    Object.entries(containers).map(([id, each]) => [
      id,
      { ...each, resists: each.resists ?? 0, networks: new Set(['net']) },
    ]),
  );
  const networks = new Set(['net']);
  let listings = 0;
  let leaving = 0;
  let leaves = 0;
  let mostLeaving = 0;
  const engine = {
    listContainers: async () => {
      listings += 1;
      return [...left].map(([id, { bed }]) => ({ id, name: id, labels: { 'squall.bed': bed ?? 'a' } }));
    },
    listNetworks: async () => [...networks].map((id) => ({ id, name: id, labels: { 'squall.bed': 'a' } })),
    listVolumes: async () => [],
    leaveNetwork: async (network: string, id: string) => {
      leaves += 1;
      leaving += 1;
      if (leavingHangs) {
        throw new SquallError('network: the engine did not answer', { code: 'engine-timeout' });
      }
      mostLeaving = Math.max(mostLeaving, leaving);
      await new Promise((resolve) => setTimeout(resolve, 1));
      leaving -= 1;
      left.get(id)?.networks.delete(network);
    },
    removeContainer: async (id: string) => {
      const found = left.get(id);
      if (found && found.resists > 0) {
        found.resists -= 1;
        throw new Error(`${id} resists`);
      }
      if (found && networks.has('net') && found.networks.size > 0) {
        throw new Error(`${id} was still in its network`);
      }
      left.delete(id);
    },
    removeNetwork: async (id: string) => {
      if (left.size > 0) throw new Error('network has active endpoints');
      networks.delete(id);
    },
  };
  return {
    engine: engine as unknown as Engine,
    left,
    leaves: () => leaves,
    networks,
    listings: () => listings,
    mostLeaving: () => mostLeaving,
  };
}

describe('removal by label', () => {
  it('looks again until nothing is listed, past what fails at first', async () => {
    const { engine, left, networks } = engineWith({ a: {}, b: { resists: 2 }, c: {} });
    expect(await removeResources(engine, ['squall.bed=a'])).to.deep.equal({
      containers: 3,
      networks: 1,
      volumes: 0,
    });
    expect([left.size, networks.size]).to.deep.equal([0, 0]);
  });

  it('takes the containers of a bed out of its network one after another, each before it is removed', async () => {
    const { engine, left, mostLeaving } = engineWith({ a: {}, b: {}, c: {}, d: {} });
    await removeResources(engine, ['squall.bed=a']);
    expect([left.size, mostLeaving()]).to.deep.equal([0, 1]);
  });

  it('removes the containers all the same when their network answers nobody, and asks it only once a round', async () => {
    const { engine, left, leaves } = engineWith({ a: {}, b: {}, c: {} }, true);
    for (const { networks } of left.values()) networks.clear();
    await removeResources(engine, ['squall.bed=a']);
    expect([left.size, leaves()]).to.deep.equal([0, 1]);
  });

  it('says what is left, and why, when something does not go', async () => {
    const { engine } = engineWith({ a: {}, b: { resists: 1_000 } });
    const error = await rejection(removeResources(engine, ['squall.bed=a'], { roundPauseMs: 1 }));
    expect(error.code).to.equal('left-behind');
    expect(error.message).to.contain('1 containers, 1 networks');
    expect(error.facts).to.deep.include({ containers: ['b'], networks: ['net'] });
    expect(String((error.cause as AggregateError).errors[0])).to.contain('b resists');
  });

  it('wants as many empty listings as it is told', async () => {
    const { engine, listings, networks } = engineWith({});
    networks.clear();
    await removeResources(engine, ['squall.run=x'], { emptyListings: 2 });
    expect(listings()).to.equal(2);
  });

  it('leaves alone what has another owner now', async () => {
    const { engine, left, networks } = engineWith({ a: {}, b: { bed: 'kept' } });
    networks.clear();
    await removeResources(engine, ['squall.run=x'], { spare: (labels) => labels['squall.bed'] === 'kept' });
    expect([...left.keys()]).to.deep.equal(['b']);
  });

  it('refuses to remove without a label', async () => {
    expect((await rejection(removeResources(engineWith({}).engine, []))).code).to.equal('no-labels');
  });
});

describe('sweep', () => {
  const hour = 3_600_000;
  for (const [owner, kept, ageMs, olderThanMs, remove] of [
    ['dead', false, 0, undefined, true],
    ['alive', false, 9 * hour, undefined, false],
    ['alive', false, 9 * hour, hour, false],
    ['unknown', false, 9 * hour, undefined, false],
    ['unknown', false, 9 * hour, hour, true],
    ['unknown', false, hour / 2, hour, false],
    ['alive', true, 9 * hour, undefined, false],
    ['alive', true, 9 * hour, hour, true],
    ['alive', true, hour / 2, hour, false],
  ] as const) {
    it(`${remove ? 'removes' : 'leaves'} what is ${ageMs / hour} h old, ${owner}, ${kept ? 'kept' : 'not kept'}, older-than ${olderThanMs ?? 'not given'}`, () => {
      expect(judgeGroup({ owner, kept, ageMs }, olderThanMs).remove).to.equal(remove);
    });
  }
});

describe('bounded work', () => {
  it('keeps to its limit and to the order of its items', async () => {
    let running = 0;
    let most = 0;
    const results = await mapBounded([5, 1, 3, 2, 4], 2, async (item) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, item));
      running -= 1;
      return item * 10;
    });
    expect(results).to.deep.equal([50, 10, 30, 20, 40]);
    expect(most).to.equal(2);
  });

  it('begins nothing more after a failure, and waits for what has begun', async () => {
    const begun: number[] = [];
    const error = await rejection(
      mapBounded([1, 2, 3, 4, 5, 6], 2, async (item) => {
        begun.push(item);
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (item === 1) throw new Error('no');
      }),
    );
    expect(error.message).to.equal('no');
    expect(begun.length).to.be.lessThan(6);
  });

  it('tries everything where every failure is to be known', async () => {
    const failures = await tryEach([1, 2, 3], 2, async (item) => {
      if (item !== 2) throw new Error(`${item}`);
    });
    expect(failures.map(({ item }) => item).sort()).to.deep.equal([1, 3]);
  });

  it('is told to stop when its time is over, and left when it does not', async () => {
    let told = 0;
    const stop = (): void => {
      told += 1;
    };
    expect(await withinOrStopped(1, new Promise(() => undefined), stop)).to.equal(false);
    expect(told).to.equal(1);
    expect(await withinOrStopped(60_000, Promise.resolve(), stop)).to.equal(true);
    expect(
      (await rejection(withinOrStopped(60_000, Promise.reject(new Error('no')), stop))).message,
    ).to.equal('no');
    expect(told).to.equal(1);
    const stoppable = new AbortController();
    const work = new Promise((_resolve, reject) => stoppable.signal.addEventListener('abort', reject));
    expect(await withinOrStopped(1, work, () => stoppable.abort())).to.equal(false);
  });

  it('opens a gate to the next in line, also after a failure', async () => {
    const gate = new Gate(1);
    const order: string[] = [];
    const first = gate.pass(async () => {
      throw new Error('no');
    });
    const second = gate.pass(async () => void order.push('second'));
    await rejection(first);
    await second;
    expect(order).to.deep.equal(['second']);
    expect(() => new Gate(0)).to.throw(/not a positive whole number/);
  });
});

describe('the end of a node', () => {
  const state = (exitCode: number, oomKilled = false) =>
    ({ exitCode, oomKilled }) as Parameters<typeof exitCause>[0];
  for (const [what, expected, cause] of [
    [state(137), undefined, 'SIGKILL, cause unknown'],
    [state(137), 'a fault of ours', 'expected: a fault of ours'],
    [state(137, true), undefined, 'out of memory: the engine set its OOM flag'],
    [state(139), undefined, 'signal 11'],
    [state(1), undefined, 'by itself'],
    [undefined, undefined, 'its container is gone'],
  ] as const) {
    it(`with code ${what?.exitCode ?? 'none'} is said to be: ${cause}`, () =>
      expect(exitCause(what, expected)).to.equal(cause));
  }
});

describe('small texts', () => {
  it('show control and direction characters instead of sending them', () => {
    expect(showControl('a\u001b[31mb\tc\u202e')).to.equal('a\\u001b[31mb c\\u202e');
  });

  it('give every life of a bed its label, unless it has one of its own', () => {
    expect(withGeneration({ SQUALL_LABEL: '' }, 3)).to.deep.equal({ SQUALL_LABEL: 'g3' });
    expect(withGeneration({ SQUALL_LABEL: 'mine' }, 3)).to.deep.equal({ SQUALL_LABEL: 'mine' });
  });
});
