import { expect } from 'chai';
import { QueueWorld, TIMEOUT_MS } from './queue-world.ts';
import { rule, variant } from './rule-test.ts';

const LIFETIME_MS = 2 * TIMEOUT_MS;

/** Requests to S, one key each, in the order of their ranks. */
function requests(world: QueueWorld, count: number) {
  for (let rank = 1; rank <= count; rank += 1) world.offer(rank, 'S');
  return world.start(count);
}

describe('a silent source', () => {
  rule('silenceHandling', 'is fetched from past its share once a request went unanswered', ({ rules }) => {
    const world = new QueueWorld(rules);
    for (let rank = 1; rank <= 16; rank += 1) world.offer(rank, 'S');
    for (const attempt of world.start(8)) world.timeOut(attempt);
    return world.start(8).length === 8;
  });

  rule('wakeOnSilence', 'wakes all that is parked under it, not only a share of it', ({ rules }) => {
    const world = new QueueWorld(rules);
    for (let rank = 1; rank <= 6; rank += 1) world.offer(rank, 'S');
    const [first] = world.start();
    world.timeOut(first!);
    return world.start().length === 4;
  });

  rule(
    'laterAnswerSpares',
    'is not one that answered after the request that timed out was sent',
    ({ rules }) => {
      const world = new QueueWorld(rules);
      const [early, late] = requests(world, 2);
      world.answer('S');
      world.queue.finish(late!, 'stored');
      world.timeOut(early!);
      return world.health.standing('S') === 'answering';
    },
  );

  rule('answerClears', 'is none any more once it answers', ({ rules }) => {
    const world = new QueueWorld(rules);
    world.timeOut(requests(world, 1)[0]!);
    const marked = world.health.standing('S') === 'marked';
    world.answer('S');
    return marked && world.health.standing('S') === 'answering';
  });

  rule(
    'answerClearsOlderOnly',
    'stays one when an answer is told that came before the request',
    ({ rules }) => {
      const world = new QueueWorld(rules);
      world.offer(1, 'S');
      world.offer(2, 'S');
      world.start(1);
      const answerPlace = world.health.nextPlace();
      world.timeOut(world.start(1)[0]!);
      world.health.answered('S', answerPlace);
      return world.health.standing('S') === 'marked';
    },
  );

  rule('newerFailureRefreshes', 'stays one while newer requests go unanswered', async ({ rules }) => {
    const world = new QueueWorld(rules);
    const [one, two] = requests(world, 2);
    world.timeOut(one!);
    await world.clock.leap(LIFETIME_MS - 1);
    world.timeOut(two!);
    await world.clock.leap(2);
    return world.health.standing('S') === 'marked';
  });

  rule('olderFailureIgnored', 'is not marked again by the end of an older request', async ({ rules }) => {
    const world = new QueueWorld(rules);
    const [older, newer] = requests(world, 2);
    world.timeOut(newer!);
    await world.clock.leap(LIFETIME_MS - 1);
    world.timeOut(older!);
    await world.clock.leap(2);
    return world.health.standing('S') === 'answering';
  });

  rule(
    'marksExpire',
    'is probed under the limit when nothing newer went unanswered for two timeouts',
    async ({ rules }) => {
      const world = new QueueWorld(rules);
      world.timeOut(requests(world, 1)[0]!);
      await world.clock.leap(LIFETIME_MS);
      for (let rank = 2; rank <= 6; rank += 1) world.offer(rank, 'S');
      return world.start().length === 2;
    },
  );

  rule('markLifetimeFloor', 'stays one for a second where two timeouts are shorter', async ({ rules }) => {
    const world = new QueueWorld(rules, { fetchTimeoutMs: 100 });
    world.timeOut(requests(world, 1)[0]!);
    await world.clock.leap(999);
    const marked = world.health.standing('S') === 'marked';
    await world.clock.leap(1);
    return marked && world.health.standing('S') === 'answering';
  });

  it('is told once, and its refreshes, ends and outdated failures are counted', async () => {
    const world = new QueueWorld(variant('share').rules);
    const [one, two] = requests(world, 2);
    world.timeOut(one!);
    world.timeOut(two!);
    expect(world.health.counts).to.include({ marks: 1, refreshed: 1 });
    world.answer('S');
    expect(world.health.counts).to.include({ cleared: 1 });
    expect(world.health.silent()).to.deep.equal([]);
  });
});

describe('the table of sources', () => {
  rule('evictIdleOnly', 'drops no source that is silent or has a fetch in flight', ({ rules }) => {
    const world = new QueueWorld(rules, { healthCapacity: 3 });
    world.silence('silent');
    world.offer(1, 'asked');
    world.offer(2, 'idle');
    const [asked, idle] = world.start();
    world.queue.finish(idle!, 'stored');
    world.offer(3, 'new');
    world.start();
    world.answer('asked');
    world.timeOut(asked!);
    return (
      world.health.standing('silent') === 'marked' &&
      world.health.standing('asked') === 'answering' &&
      world.health.counts.evicted === 1
    );
  });

  rule(
    'overflowCountsSilent',
    'takes a source without room for a silent one, and the limit is passed',
    ({ rules }) => {
      const world = overflowing(rules);
      for (let rank = 10; rank < 15; rank += 1) world.offer(rank, 'other');
      world.start();
      return world.queue.inFlight('other') === 5 && world.queue.counts.pastOverflow === 3;
    },
  );

  rule(
    'overflowExpires',
    'takes it for one that answers again after one lifetime of a mark',
    async ({ rules }) => {
      const world = overflowing(rules);
      await world.clock.leap(LIFETIME_MS - 1);
      const before = world.health.standing('other');
      await world.clock.leap(1);
      return before === 'overflow' && world.health.standing('other') === 'answering';
    },
  );

  it('wakes what is parked under sources that it has no room for', () => {
    const world = new QueueWorld(variant('share').rules, { healthCapacity: 1 });
    for (const rank of [1, 2, 3]) world.offer(rank, 'A');
    expect(world.start()).to.have.length(2);
    world.offer(4, 'B');
    expect(world.start()).to.have.length(1);
    expect(world.health.counts.overflows).to.equal(1);
    expect(world.health.standing('A')).to.equal('answering');
    expect(world.health.standing('B')).to.equal('overflow');
  });
});

function overflowing(rules: ConstructorParameters<typeof QueueWorld>[0]): QueueWorld {
  const world = new QueueWorld(rules, { healthCapacity: 1 });
  world.offer(1, 'A');
  world.offer(2, 'B');
  world.start();
  return world;
}
