import type { BusyBook } from './busy-book.ts';
import { chooseSource } from './choose-source.ts';
import { type ChunkKey, compareDistance, distanceBetween } from './chunk-key.ts';
import { EntryHeap } from './entry-heap.ts';
import { type Attempt, createEntry, type FetchEntry, untriedOf } from './fetch-entry.ts';
import type { FetchRules } from './fetch-rules.ts';
import { ParkIndex } from './park-index.ts';
import type { Ending, QueueLimits, QueuePorts } from './queue-ports.ts';
import type { SourceHealth } from './source-health.ts';
import { SourceShares } from './source-shares.ts';
import { WokenSources } from './woken-sources.ts';

/**
 * Which key is fetched next, and where. Pure: no timer, no socket; time, health of sources and the table that keys return
 * to are handed in. A key is queued, parked under every source that it waits for, or in flight.
 */
export class FetchQueue {
  readonly counts = { parks: 0, wakes: 0, pastMark: 0, pastOverflow: 0, returned: 0 };
  readonly #rules: FetchRules;
  readonly #limits: QueueLimits;
  readonly #ports: QueuePorts;
  readonly #health: SourceHealth;
  readonly #busy: BusyBook;
  readonly #entries = new Map<ChunkKey, FetchEntry>();
  readonly #queued: EntryHeap;
  readonly #parked: ParkIndex;
  readonly #shares = new SourceShares();
  readonly #woken: WokenSources;
  #order = 0;

  constructor(
    rules: FetchRules,
    limits: QueueLimits,
    ports: QueuePorts,
    health: SourceHealth,
    busy: BusyBook,
  ) {
    this.#rules = rules;
    this.#limits = limits;
    this.#ports = ports;
    this.#health = health;
    this.#busy = busy;
    const compare = this.#compare;
    this.#queued = new EntryHeap(compare, (entry, _slot, place) => {
      entry.queuedPlace = place;
    });
    this.#parked = new ParkIndex(compare, ports.stopwatchMs);
    this.#woken = new WokenSources(this.#parked, compare, (source) => this.#isStartable(source));
  }

  get facts() {
    const nowMs = this.#ports.nowMs();
    const oldest = this.#parked.oldest;
    const oldestParkedMs = oldest === undefined ? 0 : nowMs - oldest.parkedAtMs;
    return {
      queued: this.#queued.size,
      parked: this.#parked.size,
      indexSize: this.#parked.indexSize,
      indexMs: this.#parked.maintenanceMs,
      oldestParkedMs,
      mostParked: this.#parked.most,
      longestParkedMs: Math.max(this.#parked.longestMs, oldestParkedMs),
      inFlight: this.#shares.size,
      sourcesAtLimit: this.#shares.atLeast(this.#limits.perSource),
      mostPerSource: this.#shares.most,
    };
  }

  has(key: ChunkKey): boolean {
    return this.#entries.has(key);
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  inFlight(source: string): number {
    return this.#shares.of(source);
  }

  parkedUnder(source: string): number {
    return this.#parked.countUnder(source);
  }

  /** Sources of a key, in the order of preference, tried ones too; undefined when it is not here. */
  sourcesOf(key: ChunkKey): readonly string[] | undefined {
    return this.#entries.get(key)?.sources;
  }

  /** How many advertisers a key's verification retry would begin with. */
  hintsOf(key: ChunkKey): number {
    return this.#entries.get(key)?.hints.size ?? 0;
  }

  /**
   * A verified key with the sources of its round, and a place kept for its return. Of a key that is here already only
   * sources are taken, as many as there is room for.
   */
  offer(key: ChunkKey, sources: readonly string[]): 'queued' | 'merged' | 'full' {
    const known = this.#entries.get(key);
    if (known) {
      this.#addSources(known, sources);
      return 'merged';
    }
    if (this.#isFull()) return 'full';
    this.#order += 1;
    const distance = distanceBetween(this.#ports.ownId, key);
    const capped = [...new Set(sources)].slice(0, this.#sourceCap);
    const entry = createEntry(key, distance, this.#order, capped);
    this.#entries.set(key, entry);
    this.#queued.add(entry, 0);
    return 'queued';
  }

  /** Somebody advertised a key that is here. @returns whether its retry will know of it */
  readvertise(key: ChunkKey, by: string): boolean {
    const entry = this.#entries.get(key);
    if (!entry) return false;
    if (this.#rules.boundRetryMerge && entry.hints.size >= this.#limits.hintsPerKey)
      return entry.hints.has(by);
    entry.hints.add(by);
    return true;
  }

  /** The nearest key that can start now, on its source; its share is taken. Keys that cannot are parked on the way. */
  next(): Attempt | undefined {
    for (;;) {
      const queued = this.#queued.first();
      const woken = this.#woken.nearest();
      if (woken && (!queued || !this.#rules.wakeByDistance || this.#compare(woken, queued) < 0)) {
        const source = this.#choose(woken);
        // Its mark may have run out since it was looked at; then the key waits on.
        if (source === undefined) continue;
        this.#parked.unpark(woken, this.#ports.nowMs());
        this.counts.wakes += 1;
        return this.#start(woken, source);
      }
      if (!queued) return undefined;
      this.#queued.removeAt(queued.queuedPlace);
      queued.queuedPlace = -1;
      const source = this.#choose(queued);
      if (source !== undefined) return this.#start(queued, source);
      const untried = untriedOf(queued);
      if (untried.length === 0) this.#return(queued);
      else this.#park(queued, untried);
    }
  }

  /**
   * An attempt has ended.
   * @returns the key's next attempt, which goes on in the same fetch slot
   */
  finish(attempt: Attempt, ending: Ending): Attempt | undefined {
    const entry = this.#shares.end(attempt);
    if (!entry) return undefined;
    if (ending === 'stored' || this.#rules.failureReleases) this.#releaseShare(attempt.source);
    if (ending === 'stored') {
      this.#end(entry);
      return undefined;
    }
    entry.tried.add(attempt.source);
    if (ending === 'failed') return this.#moveOn(entry);
    this.#return(entry);
    return undefined;
  }

  /** @returns attempts that are to be called off: their shares are free already. */
  cancel(key: ChunkKey): readonly Attempt[] {
    const entry = this.#entries.get(key);
    if (!entry) return [];
    if (!this.#rules.cancelReleases) {
      this.#entries.delete(key);
      return [];
    }
    const attempts = this.#callOff((_, own) => own === entry);
    this.#leave(entry);
    this.#end(entry);
    return attempts;
  }

  /** A source is gone. @returns attempts that are to be called off; their keys have moved on. */
  depart(source: string): readonly Attempt[] {
    if (!this.#rules.departureReleases) return [];
    const attempts = this.#callOff((attempt) => attempt.source === source);
    const called = new Set(attempts.map(({ key }) => key));
    this.#shares.forget(source);
    this.#woken.delete(source);
    this.#health.forget(source);
    this.#busy.forget(source);
    this.#parked.forgetSource(source);
    for (const entry of [...this.#entries.values()]) {
      entry.hints.delete(source);
      const place = entry.sources.indexOf(source);
      if (place === -1) continue;
      entry.sources = entry.sources.toSpliced(place, 1);
      entry.tried.delete(source);
      const calledOff = called.has(entry.key);
      if (entry.state === 'inFlight' && !calledOff) continue;
      if (untriedOf(entry).length === 0 || (calledOff && this.#isFull())) {
        this.#leave(entry);
        this.#return(entry);
      } else if (calledOff) this.#enqueue(entry);
    }
    return attempts;
  }

  /** A source has become silent, or all that the table has no room for: what is parked there may start. */
  wakeSilent(source: string | 'untracked'): void {
    if (!this.#rules.wakeOnSilence) return;
    if (source !== 'untracked') this.#woken.add(source);
    else for (const parked of this.#parked.sources()) this.#woken.add(parked);
  }

  get #sourceCap(): number {
    const { closeGroupSize, paidListGroupSize, hintsPerKey } = this.#limits;
    return closeGroupSize + paidListGroupSize + (this.#rules.capFitsRound ? hintsPerKey : 0);
  }

  /** Which of two keys comes first. */
  readonly #compare = (one: FetchEntry, other: FetchEntry): number =>
    this.#rules.nearestFirst ? compareDistance(one.distance, other.distance) : one.order - other.order;

  #isFull(): boolean {
    const parked = this.#rules.parkedCountInBound ? this.#parked.size : 0;
    return this.#queued.size + parked >= this.#limits.capacity;
  }

  #choose(entry: FetchEntry): string | undefined {
    return chooseSource(
      this.#rules,
      {
        standing: (source) => this.#health.standing(source),
        isFull: (source) => this.inFlight(source) >= this.#limits.perSource,
        isCooling: (source) => this.#busy.isCooling(source),
      },
      untriedOf(entry),
      entry.tried.size > 0,
    );
  }

  #isStartable(source: string): boolean {
    if (this.inFlight(source) < this.#limits.perSource) return true;
    return this.#rules.wakeOnSilence && this.#health.standing(source) !== 'answering';
  }

  #start(entry: FetchEntry, source: string): Attempt {
    const standing = this.#health.standing(source);
    const past = this.#rules.shareLimit && this.inFlight(source) >= this.#limits.perSource;
    if (past && standing === 'marked') this.counts.pastMark += 1;
    if (past && standing === 'overflow') this.counts.pastOverflow += 1;
    this.#health.track(source);
    const place = this.#health.nextPlace();
    const attempt = { key: entry.key, source, place, pastSilence: standing !== 'answering' };
    entry.state = 'inFlight';
    this.#shares.take(attempt, entry);
    return attempt;
  }

  #releaseShare(source: string): void {
    this.#shares.release(source);
    if (this.#parked.countUnder(source) > 0) this.#woken.add(source);
  }

  #moveOn(entry: FetchEntry): Attempt | undefined {
    const untried = untriedOf(entry);
    if (untried.length === 0) {
      if (this.#rules.returnWithoutSource) this.#return(entry);
      else this.#drop(entry);
      return undefined;
    }
    const source = this.#choose(entry);
    if (source !== undefined) return this.#start(entry, source);
    if (this.#isFull() && this.#rules.returnWhenFull) {
      this.#return(entry);
      return undefined;
    }
    if (!this.#rules.parkKeepsTried) entry.tried.clear();
    if (!this.#rules.parkKeepsReservation) this.#giveUpReservation(entry);
    this.#park(entry, untriedOf(entry));
    return undefined;
  }

  #park(entry: FetchEntry, untried: readonly string[]): void {
    this.counts.parks += 1;
    this.#parked.park(entry, this.#rules.parkUnderEach ? untried : untried.slice(0, 1), this.#ports.nowMs());
  }

  #enqueue(entry: FetchEntry): void {
    entry.state = 'queued';
    this.#queued.add(entry, 0);
  }

  /** Takes a key out of wherever it waits. */
  #leave(entry: FetchEntry): void {
    if (entry.state === 'parked') this.#parked.unpark(entry, this.#ports.nowMs());
    if (entry.state === 'queued') this.#queued.removeAt(entry.queuedPlace);
    entry.queuedPlace = -1;
  }

  #callOff(fits: (attempt: Attempt, entry: FetchEntry) => boolean): readonly Attempt[] {
    const attempts = this.#shares.matching(fits);
    for (const attempt of attempts) {
      this.#shares.end(attempt);
      this.#releaseShare(attempt.source);
    }
    return attempts;
  }

  #addSources(entry: FetchEntry, sources: readonly string[]): void {
    const fresh = sources.filter((source) => !entry.sources.includes(source));
    const counted = this.#rules.triedCountInCap ? entry.sources.length : untriedOf(entry).length;
    const added = fresh.slice(0, Math.max(0, this.#sourceCap - counted));
    if (added.length === 0) return;
    const { state } = entry;
    if (state === 'parked') this.#leave(entry);
    entry.sources = [...entry.sources, ...added];
    // With another source it may be able to start; the next look parks it again where it cannot.
    if (state === 'parked') this.#enqueue(entry);
  }

  #giveUpReservation(entry: FetchEntry): void {
    if (!entry.reserved) return;
    entry.reserved = false;
    this.#ports.returns.release(entry.key);
  }

  /** It is done with, one way or the other. */
  #end(entry: FetchEntry): void {
    this.#giveUpReservation(entry);
    this.#drop(entry);
  }

  #drop(entry: FetchEntry): void {
    entry.state = 'gone';
    this.#entries.delete(entry.key);
  }

  #return(entry: FetchEntry): void {
    const { key, reserved } = entry;
    entry.state = 'gone';
    entry.reserved = false;
    this.#entries.delete(key);
    this.counts.returned += 1;
    this.#ports.returns.takeBack(key, [...entry.hints], reserved);
  }
}
