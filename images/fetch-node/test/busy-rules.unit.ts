import { expect } from 'chai';
import { manualClock } from '../../../harness/clock/index.ts';
import { BusyBook } from '../busy-book.ts';
import type { FetchRules } from '../fetch-rules.ts';
import { QueueWorld, same, told } from './queue-world.ts';
import { rule, variant } from './rule-test.ts';

function book(rules: FetchRules, capacity = 8_192) {
  const clock = manualClock();
  return { clock, busy: new BusyBook(rules, { capacity, maximumMs: 60_000 }, () => clock.nowMs()) };
}

describe('a busy holder', () => {
  rule('busyGrows', 'cools for 1, 2, 4 and 8 times the wait', ({ rules }) => {
    const { busy } = book(rules);
    return same(
      [1, 2, 3, 4, 5].map(() => busy.record('A', 1_000)),
      [1_000, 2_000, 4_000, 8_000, 8_000],
    );
  });

  rule('busyCapped', 'cools for a minute at most', ({ rules }) => {
    const { busy } = book(rules);
    for (let answer = 1; answer < 4; answer += 1) busy.record('A', 20_000);
    return busy.record('A', 20_000) === 60_000;
  });

  rule(
    'busyNeverShortened',
    'cools as long as it was to, whatever a later answer says',
    async ({ rules }) => {
      const { busy, clock } = book(rules);
      busy.record('A', 30_000);
      busy.record('A', 100);
      await clock.leap(29_999);
      return busy.isCooling('A');
    },
  );

  rule('busyReportsRemaining', 'is told with what is left of the cooldown in force', async ({ rules }) => {
    const { busy, clock } = book(rules);
    busy.record('A', 30_000);
    await clock.leap(10_000);
    return busy.record('A', 100) === 20_000;
  });

  rule('busyEvicts', 'is remembered in a full book by forgetting who is free first', ({ rules }) => {
    const { busy } = book(rules, 2);
    busy.record('short', 1_000);
    busy.record('long', 9_000);
    busy.record('new', 5_000);
    return busy.isCooling('new') && busy.isCooling('long') && !busy.isCooling('short') && busy.size === 2;
  });

  rule('busyLastForNew', 'comes behind all that are not cooling, for a new key', ({ rules }) => {
    const world = new QueueWorld(rules);
    world.busy.record('A', 1_000);
    world.offer(1, 'A', 'B');
    return same(told(world.start()), ['1@B']);
  });

  rule('busyLastForRetries', 'comes behind all that are not cooling, for a retry', ({ rules }) => {
    const world = new QueueWorld(rules);
    world.offer(1, 'A', 'B', 'C');
    const attempt = world.require();
    world.busy.record('B', 1_000);
    return same(told([world.queue.finish(attempt, 'failed')]), ['1@C']);
  });

  it('is asked when nobody else is left, and in its turn once it has cooled', async () => {
    const world = new QueueWorld(variant('share+busy').rules);
    world.busy.record('A', 1_000);
    world.offer(1, 'A');
    expect(told(world.start())).to.deep.equal(['1@A']);
    await world.clock.leap(1_000);
    world.offer(2, 'A', 'B');
    expect(told(world.start())).to.deep.equal(['2@A']);
  });

  it('that serves in between starts over, and what runs is not shortened', async () => {
    const { busy, clock } = book(variant('share+busy').rules);
    for (let answer = 0; answer < 3; answer += 1) busy.record('A', 1_000);
    busy.served('A');
    expect(busy.isCooling('A')).to.equal(true);
    await clock.leap(4_000);
    expect(busy.record('A', 1_000)).to.equal(1_000);
  });
});
