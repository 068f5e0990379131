import { expect } from 'chai';
import { key, QueueWorld, same, told } from './queue-world.ts';
import { rule, variant } from './rule-test.ts';

const names = (count: number, prefix = 'h'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);

/** B has two under way; key 3 fails at A and is parked under B. */
function parkedRetry(world: QueueWorld) {
  for (const rank of [1, 2]) world.offer(rank, 'B');
  world.offer(3, 'A', 'B');
  const attempts = world.start();
  world.queue.finish(attempts[2]!, 'failed');
  return attempts;
}

describe('a parked key', () => {
  rule('parkKeepsTried', 'is not asked for again where it failed', ({ rules }) => {
    const world = new QueueWorld(rules);
    const [first] = parkedRetry(world);
    world.queue.finish(first!, 'stored');
    return same(told(world.start()), ['3@B']);
  });

  rule('parkKeepsReservation', 'comes back to a full verification table', ({ rules }) => {
    const world = new QueueWorld(rules, { pendingCapacity: 3 });
    const [first] = parkedRetry(world);
    world.queue.finish(first!, 'stored');
    for (let rank = 10; rank < 14; rank += 1) world.pending.admit(key(rank), 'somebody');
    const [retry] = world.start();
    world.queue.finish(retry!, 'failed');
    return world.lost.length === 0 && world.pending.has(key(3));
  });

  rule('parkedCountInBound', 'takes a place of the queue', ({ rules }) => {
    const world = new QueueWorld(rules, { limits: { capacity: 3 } });
    for (const rank of [1, 2, 3]) world.offer(rank, 'A');
    world.start();
    for (const rank of [4, 5]) world.offer(rank, 'A');
    return world.offer(6, 'A') === 'full';
  });

  it('is the oldest until it starts', async () => {
    const world = new QueueWorld(variant('share').rules);
    for (const rank of [1, 2, 3]) world.offer(rank, 'A');
    const [first] = world.start();
    await world.clock.leap(700);
    expect(world.queue.facts.oldestParkedMs).to.equal(700);
    world.queue.finish(first!, 'stored');
    world.start();
    expect(world.queue.facts).to.include({ oldestParkedMs: 0, longestParkedMs: 700, mostParked: 1 });
  });
});

describe('a key that failed', () => {
  rule('returnWithoutSource', 'goes back to verification when no source is left', ({ rules }) => {
    const world = new QueueWorld(rules);
    world.offer(1, 'A');
    world.queue.finish(world.require(), 'failed');
    return world.pending.has(key(1)) && world.pending.reserved === 0;
  });

  rule(
    'returnWhenFull',
    'goes back to verification when it would have to wait and the queue is full',
    ({ rules }) => {
      const world = new QueueWorld(rules, { limits: { capacity: 3 } });
      for (const rank of [1, 2]) world.offer(rank, 'B');
      world.start();
      world.offer(3, 'A', 'B');
      const attempt = world.require();
      for (const rank of [4, 5, 6]) world.offer(rank, 'B');
      world.queue.finish(attempt, 'failed');
      return world.pending.has(key(3)) && world.queue.facts.queued === 3;
    },
  );

  rule('failureReleases', 'gives its share back', ({ rules }) => {
    const world = new QueueWorld(rules);
    world.offer(1, 'A');
    world.queue.finish(world.require(), 'failed');
    return world.queue.inFlight('A') === 0;
  });
});

describe('the sources of a key', () => {
  rule('triedCountInCap', 'are as many as the cap with the tried ones counted', ({ rules }) => {
    const world = new QueueWorld(rules);
    world.offer(1, ...names(35));
    world.queue.finish(world.require(), 'failed');
    world.offer(1, 'one more');
    return world.queue.sourcesOf(key(1))?.length === 35;
  });

  rule('capFitsRound', 'are all that its round named', ({ rules }) => {
    const world = new QueueWorld(rules);
    world.offer(1, ...names(35));
    return world.queue.sourcesOf(key(1))?.length === 35;
  });

  rule('boundRetryMerge', 'that advertise it again are remembered up to the bound of hints', ({ rules }) => {
    const world = new QueueWorld(rules);
    world.offer(1, 'A');
    for (const by of names(100)) world.queue.readvertise(key(1), by);
    return world.queue.hintsOf(key(1)) === 8;
  });

  it('that advertised it meanwhile are where its retry begins', () => {
    const world = new QueueWorld(variant('share').rules);
    world.offer(1, 'A');
    const attempt = world.require();
    world.queue.readvertise(key(1), 'B');
    world.queue.finish(attempt, 'failed');
    expect(world.pending.takeDue(1)).to.deep.equal([]);
    return world.clock.leap(60_000).then(() => {
      expect([...(world.pending.takeDue(1)[0]?.hints ?? [])]).to.deep.equal(['B']);
    });
  });

  it('grow by another round while it is parked, and it starts there', () => {
    const world = new QueueWorld(variant('share').rules);
    for (const rank of [1, 2, 3]) world.offer(rank, 'A');
    world.start();
    expect(world.offer(3, 'A', 'B')).to.equal('merged');
    expect(told(world.start())).to.deep.equal(['3@B']);
  });
});

describe('what ends before its time', () => {
  rule(
    'departureReleases',
    'a source that departs leaves nothing in flight, parked or reserved',
    ({ rules }) => {
      const world = new QueueWorld(rules);
      for (const rank of [1, 2, 3]) world.offer(rank, 'A');
      for (const rank of [4, 5]) world.offer(rank, 'B');
      world.offer(6, 'A', 'B');
      world.start();
      const calledOff = world.queue.depart('A');
      return (
        calledOff.length === 2 &&
        world.queue.inFlight('A') === 0 &&
        world.queue.parkedUnder('A') === 0 &&
        world.queue.parkedUnder('B') === 1 &&
        world.pending.size === 3 &&
        world.pending.reserved === 3
      );
    },
  );

  rule('cancelReleases', 'a cancelled key leaves nothing in flight, parked or reserved', ({ rules }) => {
    const world = new QueueWorld(rules);
    for (const rank of [1, 2, 3, 4]) world.offer(rank, 'A');
    world.start();
    const calledOff = [1, 4].flatMap((rank) => world.queue.cancel(key(rank)));
    return (
      same(told(calledOff), ['1@A']) &&
      world.queue.inFlight('A') === 1 &&
      world.queue.parkedUnder('A') === 1 &&
      world.pending.reserved === 2
    );
  });

  it('a called-off attempt that ends late changes nothing', () => {
    const world = new QueueWorld(variant('share').rules);
    for (const rank of [1, 2]) world.offer(rank, 'A');
    const [first] = world.start();
    world.queue.cancel(key(1));
    expect(world.queue.finish(first!, 'stored')).to.equal(undefined);
    expect(world.queue.inFlight('A')).to.equal(1);
  });

  it('a key in flight elsewhere goes on when another of its sources departs', () => {
    const world = new QueueWorld(variant('share').rules);
    world.offer(1, 'A', 'B');
    const attempt = world.require();
    expect(world.queue.depart('B')).to.deep.equal([]);
    expect(world.queue.finish(attempt, 'failed')).to.equal(undefined);
    expect(world.pending.has(key(1))).to.equal(true);
  });
});
