import { expect } from 'chai';
import { key, QueueWorld, same, told } from './queue-world.ts';
import { rule, variant } from './rule-test.ts';

describe('where a key starts', () => {
  rule('shareLimit', 'an answering source never has more than two fetches in flight', ({ rules }) => {
    const world = new QueueWorld(rules);
    for (let rank = 1; rank <= 12; rank += 1) world.offer(rank, 'A');
    return world.start(8).length === 2 && world.queue.facts.parked === 10;
  });

  rule('nearestFirst', 'the nearest key that can start comes first, whenever it was offered', ({ rules }) => {
    const world = new QueueWorld(rules);
    for (const rank of [3, 1, 2]) world.offer(rank, 'A', 'B');
    return same(told(world.start()), ['1@A', '2@A', '3@B']);
  });

  rule(
    'answeringFirst',
    'a source that answers and has a share to give goes before a silent one',
    ({ rules }) => {
      const world = new QueueWorld(rules);
      world.silence('S');
      world.offer(1, 'S', 'A');
      return same(told(world.start()), ['1@A']);
    },
  );

  rule('preferenceOrder', 'of two that answer, the one preferred by the round', ({ rules }) => {
    const world = new QueueWorld(rules);
    world.offer(1, 'A', 'B');
    return same(told(world.start()), ['1@A']);
  });

  rule('parkUnderEach', 'a parked key starts at whichever of its sources is free first', ({ rules }) => {
    const world = new QueueWorld(rules);
    for (const rank of [1, 2]) world.offer(rank, 'A');
    for (const rank of [3, 4]) world.offer(rank, 'B');
    world.offer(5, 'A', 'B');
    const attempts = world.start();
    world.queue.finish(attempts[2]!, 'stored');
    return attempts.length === 4 && same(told(world.start()), ['5@B']);
  });

  rule('wakeByDistance', 'a woken key waits for a nearer one in the heap', ({ rules }) => {
    const world = new QueueWorld(rules);
    for (const rank of [1, 2, 9]) world.offer(rank, 'A');
    const [first] = world.start();
    world.offer(5, 'A');
    world.queue.finish(first!, 'stored');
    return same(told(world.start()), ['5@A']);
  });

  rule('moveOnByShare', 'a failed key is parked where its next source is full', ({ rules }) => {
    const world = new QueueWorld(rules);
    for (const rank of [1, 2]) world.offer(rank, 'B');
    world.offer(3, 'A', 'B');
    const attempt = world.start()[2]!;
    const next = world.queue.finish(attempt, 'failed');
    return next === undefined && world.queue.parkedUnder('B') === 1 && world.queue.inFlight('B') === 2;
  });

  it('is the first silent one when all that answer are full', () => {
    const world = new QueueWorld(variant('share').rules);
    world.silence('S');
    for (const rank of [1, 2]) world.offer(rank, 'A');
    world.offer(3, 'A', 'S');
    expect(told(world.start())).to.deep.equal(['1@A', '2@A', '3@S']);
  });

  it('is the first of the round before the change, however much is under way there', () => {
    const world = new QueueWorld(variant('before').rules);
    for (let rank = 1; rank <= 12; rank += 1) world.offer(rank, 'A', 'B');
    expect(new Set(world.start(8).map(({ source }) => source))).to.deep.equal(new Set(['A']));
  });

  it('counts each key under each of its sources, and nothing once it has started', () => {
    const world = new QueueWorld(variant('share').rules);
    for (const rank of [1, 2]) world.offer(rank, 'A');
    for (const rank of [3, 4]) world.offer(rank, 'B');
    for (const rank of [5, 6, 7]) world.offer(rank, 'A', 'B');
    const attempts = world.start();
    expect(world.queue.facts).to.include({ parked: 3, indexSize: 6, inFlight: 4, sourcesAtLimit: 2 });
    for (const attempt of attempts) world.queue.finish(attempt, 'stored');
    expect(told(world.start())).to.deep.equal(['5@A', '6@A', '7@B']);
    expect(world.queue.facts).to.include({ parked: 0, indexSize: 0, inFlight: 3 });
    expect(world.queue.has(key(1))).to.equal(false);
  });
});
