import { expect } from 'chai';
import { type SeededStream, stream } from '../../../harness/random/index.ts';
import type { Attempt } from '../fetch-entry.ts';
import { key, QueueWorld } from './queue-world.ts';
import { variant } from './rule-test.ts';

const SOURCES = ['A', 'B', 'C', 'D', 'E'];
const STEPS = 250;
const CAPACITY = 25;

/** A queue under whatever may happen to it, with what must hold after each step. */
class Storm {
  readonly world = new QueueWorld(variant('share+busy').rules, {
    limits: { capacity: CAPACITY },
    pendingCapacity: 60,
    healthCapacity: 4,
  });
  readonly stored = new Set<string>();
  readonly cancelled = new Set<string>();
  readonly offered = new Set<string>();
  running: Attempt[] = [];
  readonly #chance: SeededStream;
  #rank = 0;

  constructor(seed: string) {
    this.#chance = stream(seed, 'storm');
  }

  async step(): Promise<void> {
    const { world } = this;
    const dice = this.#chance.integer(10);
    if (dice < 3) this.#offer();
    else if (dice < 4 && this.#rank > 0) this.#cancel(1 + this.#chance.integer(this.#rank));
    else if (dice < 5) await world.clock.leap(this.#chance.integer(6_000));
    else if (dice === 5 && this.#chance.integer(4) === 0) this.#depart();
    else if (dice === 6) world.busy.record(this.#one(SOURCES), 1_000);
    else this.#finish();
    this.#start();
  }

  /** Lets everything that is under way succeed until nothing is left. */
  settle(): void {
    for (this.#start(); this.running.length > 0; this.#start()) {
      for (const attempt of this.running.splice(0)) {
        this.world.answer(attempt.source);
        this.stored.add(attempt.key);
        this.world.queue.finish(attempt, 'stored');
      }
    }
  }

  #offer(): void {
    this.#rank += 1;
    const sources = this.#chance.pick(1 + this.#chance.integer(4), SOURCES);
    if (this.world.pending.admit(key(this.#rank), 'somebody')) this.offered.add(key(this.#rank));
    else return;
    if (this.world.queue.offer(key(this.#rank), sources) === 'queued')
      this.world.pending.verified(key(this.#rank));
  }

  #cancel(rank: number): void {
    if (this.world.queue.has(key(rank))) this.cancelled.add(key(rank));
    this.#callOff(this.world.queue.cancel(key(rank)));
  }

  #depart(): void {
    this.#callOff(this.world.queue.depart(this.#one(SOURCES)));
  }

  #callOff(attempts: readonly Attempt[]): void {
    this.running = this.running.filter((attempt) => !attempts.includes(attempt));
  }

  #finish(): void {
    if (this.running.length === 0) return;
    const attempt = this.#one(this.running);
    this.#callOff([attempt]);
    const how = this.#chance.integer(3);
    if (how < 2) this.world.answer(attempt.source);
    if (how === 0) this.stored.add(attempt.key);
    const retry =
      how === 2
        ? this.world.timeOut(attempt)
        : this.world.queue.finish(attempt, how === 0 ? 'stored' : 'failed');
    if (retry) this.#run(retry);
  }

  #start(): void {
    while (this.running.length < 12) {
      const attempt = this.world.queue.next();
      if (!attempt) return;
      this.#run(attempt);
    }
  }

  #run(attempt: Attempt): void {
    this.running.push(attempt);
    const within = this.world.queue.inFlight(attempt.source) <= 2;
    expect(within || attempt.pastSilence, `${attempt.source} past its share`).to.equal(true);
  }

  #one<T>(list: readonly T[]): T {
    return list[this.#chance.integer(list.length)] as T;
  }

  check(): void {
    const { queue, pending, health } = this.world;
    const { queued, parked, inFlight, indexSize } = queue.facts;
    expect(inFlight, 'in flight').to.equal(this.running.length);
    expect(pending.reserved, 'reservations').to.equal(queued + parked + inFlight);
    expect(queued + parked, 'the bound').to.be.at.most(CAPACITY + 12);
    const bySource = SOURCES.map((source) => queue.parkedUnder(source));
    expect(indexSize, 'the index').to.equal(bySource.reduce((sum, count) => sum + count, 0));
    expect(indexSize, 'keys in the index').to.be.at.least(parked);
    for (const source of SOURCES) {
      const shares = this.running.filter((attempt) => attempt.source === source).length;
      expect(queue.inFlight(source), `shares of ${source}`).to.equal(shares);
      if (this.running.length < 12 && queue.parkedUnder(source) > 0)
        expect([health.standing(source), shares >= 2], `waiting for ${source}`).to.deep.equal([
          'answering',
          true,
        ]);
    }
  }
}

describe('the queue, whatever happens to it', () => {
  for (let run = 1; run <= 12; run += 1) {
    it(`keeps shares, index and reservations exact and loses no key (seed ${run})`, async () => {
      const storm = new Storm(String(run));
      for (let step = 0; step < STEPS; step += 1) {
        await storm.step();
        storm.check();
      }
      storm.settle();
      storm.check();
      const { queue, pending } = storm.world;
      expect(queue.isEmpty).to.equal(true);
      expect(storm.world.lost).to.deep.equal([]);
      const missing = [...storm.offered].filter(
        (one) => !storm.stored.has(one) && !storm.cancelled.has(one) && !pending.has(one),
      );
      expect(missing).to.deep.equal([]);
    });
  }
});
