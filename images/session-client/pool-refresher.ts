import type { Clock } from '../../harness/clock/index.ts';
import type { SeededStream } from '../../harness/random/index.ts';
import type { ClientRules } from './client-rules.ts';
import { type PoolLimits, retryDelayMs } from './pool-limits.ts';
import type { PoolNode } from './pool-node.ts';
import type { Tell } from './tell.ts';

/** What asking one node for the whole list came to. */
export type FetchResult =
  | { readonly ok: true; readonly nodes: readonly PoolNode[]; readonly bytes: number }
  | { readonly ok: false; readonly reason: string; readonly bytes: number };

/** Asks one node for the whole list; calls back once. */
export type Fetcher = (from: PoolNode, timeoutMs: number, onResult: (result: FetchResult) => void) => void;

export interface RefreshSources {
  readonly seeds: readonly PoolNode[];
  readonly fetcher: Fetcher | undefined;
}

export type RefreshReason = 'empty' | 'age' | 'usable' | 'rejection' | 'again' | 'asked';

/** Called exactly once, with whether a refresh ran or none was needed. */
export type RefreshWaiter = (refreshed: boolean) => void;

interface Refresh {
  readonly id: number;
  readonly reason: RefreshReason;
  readonly fromSeeds: boolean;
  readonly wanted: number;
  candidates: PoolNode[];
  results: (readonly PoolNode[])[];
  bytes: number;
  requests: number;
}

export interface RefreshCounters {
  started: number;
  finished: number;
  failed: number;
  requests: number;
  bytes: number;
}

/**
 * One refresh of the pool at a time: the list from several nodes of the pool, or from one seed while the pool is too small
 * for that, keeping the nodes that enough of the answers name. What fails is asked of the next candidate after a delay
 * that doubles; when there are none left, those who wait hear that it failed, and it begins anew.
 */
export class PoolRefresher {
  readonly #rules: ClientRules;
  readonly #limits: PoolLimits;
  readonly #clock: Clock;
  readonly #chance: SeededStream;
  readonly #sources: RefreshSources;
  readonly #tell: Tell;
  readonly #pool: () => readonly PoolNode[];
  readonly #onNodes: (nodes: readonly PoolNode[]) => void;
  readonly counters: RefreshCounters = { started: 0, finished: 0, failed: 0, requests: 0, bytes: 0 };
  #current: Refresh | undefined;
  #waiters: RefreshWaiter[] = [];
  #failures = 0;
  #lastId = 0;
  #suspended = false;
  #cutShort = false;

  constructor(
    facts: {
      readonly rules: ClientRules;
      readonly limits: PoolLimits;
      readonly clock: Clock;
      readonly chance: SeededStream;
      readonly sources: RefreshSources;
      readonly tell: Tell;
    },
    pool: () => readonly PoolNode[],
    onNodes: (nodes: readonly PoolNode[]) => void,
  ) {
    this.#rules = facts.rules;
    this.#limits = facts.limits;
    this.#clock = facts.clock;
    this.#chance = facts.chance;
    this.#sources = facts.sources;
    this.#tell = facts.tell;
    this.#pool = pool;
    this.#onNodes = onNodes;
  }

  get reason(): RefreshReason | undefined {
    return this.#current?.reason;
  }

  get waiting(): number {
    return this.#waiters.length;
  }

  wait(waiter: RefreshWaiter): void {
    this.#waiters.push(waiter);
  }

  start(reason: RefreshReason): void {
    if (this.#suspended) {
      if (this.#rules.answerSuspended) this.#answer(false);
      return;
    }
    if (this.#current) return;
    const { cacheNumNodesToUseForRefresh } = this.#limits;
    const pool = this.#pool();
    const fromSeeds = cacheNumNodesToUseForRefresh === 0 || pool.length < cacheNumNodesToUseForRefresh;
    this.#lastId += 1;
    const refresh: Refresh = {
      id: this.#lastId,
      reason,
      fromSeeds,
      wanted: fromSeeds ? 1 : cacheNumNodesToUseForRefresh,
      candidates: this.#chance.shuffle(fromSeeds ? this.#sources.seeds : pool),
      results: [],
      bytes: 0,
      requests: 0,
    };
    if (refresh.candidates.length === 0) {
      this.#tell.log('error', 'cannot refresh: there is no node to ask');
      if (this.#rules.answerNoCandidates) this.#answer(false);
      return;
    }
    this.#current = refresh;
    this.counters.started += 1;
    this.#tell.event('refresh.started', { reason, refresh: refresh.id, seeds: fromSeeds });
    for (let chain = 0; chain < refresh.wanted; chain += 1) this.#fetchNext(refresh);
  }

  /** @returns the reason of the refresh that was abandoned */
  suspend(): RefreshReason | undefined {
    this.#suspended = true;
    const abandoned = this.#current;
    this.#cutShort = abandoned !== undefined;
    if (!this.#rules.suspendAbandonsRefresh) return undefined;
    this.#current = undefined;
    if (this.#rules.suspendForgetsFailures) this.#failures = 0;
    if (abandoned) {
      const { id, reason, bytes, requests } = abandoned;
      this.#tell.event('refresh.finished', { outcome: 'abandoned', refresh: id, reason, bytes, requests });
    }
    this.#answer(false);
    return abandoned?.reason;
  }

  resume(): void {
    this.#suspended = false;
    if (!this.#rules.noRestartOnResume && this.#cutShort) this.start('again');
  }

  #isCurrent(refresh: Refresh): boolean {
    return this.#current?.id === refresh.id;
  }

  /** One chain asks one candidate after the other until one answers. */
  #fetchNext(asked: Refresh): void {
    // A mutant serves itself from whichever refresh has taken the place of its own.
    const refresh = this.#rules.lateFetchKeepsOut ? asked : this.#current;
    if (!refresh || !this.#current || (this.#rules.lateFetchKeepsOut && !this.#isCurrent(refresh))) return;
    const from = refresh.candidates.pop();
    if (!from) {
      this.#runOut(refresh);
      return;
    }
    const { fetcher } = this.#sources;
    if (!fetcher) {
      this.#tell.log('error', 'cannot refresh: there is no fetcher');
      this.#current = undefined;
      if (this.#rules.answerNoFetcher) this.#answer(false);
      return;
    }
    refresh.requests += 1;
    this.counters.requests += 1;
    fetcher(from, this.#limits.fetchTimeoutMs, (result) => this.#onResult(refresh, result));
  }

  #onResult(refresh: Refresh, result: FetchResult): void {
    refresh.bytes += result.bytes;
    this.counters.bytes += result.bytes;
    if (!this.#isCurrent(refresh)) return;
    if (!result.ok) {
      this.#later(result.reason, () => this.#fetchNext(refresh));
      return;
    }
    refresh.results.push(result.nodes);
    if (refresh.results.length >= refresh.wanted) this.#complete(refresh);
  }

  #complete(refresh: Refresh): void {
    const nodes = this.#agreed(refresh.results);
    const least = this.#rules.minimumPoolSize ? Math.max(1, this.#limits.cacheMinSize) : 1;
    if (nodes.length < least) {
      refresh.results = [];
      this.#later(`only ${nodes.length} nodes of ${least}`, () => {
        for (let chain = 0; chain < refresh.wanted; chain += 1) this.#fetchNext(refresh);
      });
      return;
    }
    this.#current = undefined;
    this.#failures = 0;
    this.counters.finished += 1;
    const { id, reason, bytes, requests } = refresh;
    this.#tell.event('refresh.finished', {
      outcome: 'replaced',
      refresh: id,
      reason,
      nodes: nodes.length,
      bytes,
      requests,
    });
    this.#onNodes(this.#chance.shuffle(nodes));
    this.#answer(true);
  }

  /** With several answers only what enough of them name; as its last naming has it. */
  #agreed(results: readonly (readonly PoolNode[])[]): readonly PoolNode[] {
    const presence = new Map<string, { node: PoolNode; count: number }>();
    for (const nodes of results) {
      for (const node of new Map(nodes.map((one) => [one.ed25519, one])).values()) {
        presence.set(node.ed25519, { node, count: (presence.get(node.ed25519)?.count ?? 0) + 1 });
      }
    }
    const least = results.length > 1 && this.#rules.presenceThreshold ? this.#limits.cacheMinPresence : 1;
    return [...presence.values()].filter(({ count }) => count >= least).map(({ node }) => node);
  }

  /** Nobody is left to ask. Those who wait are answered; the refresh stays the current one during the delay. */
  #runOut(refresh: Refresh): void {
    this.counters.failed += 1;
    const { id, reason, bytes, requests } = refresh;
    this.#tell.event('refresh.finished', { outcome: 'failed', refresh: id, reason, bytes, requests });
    this.#later('nobody is left to ask', () => {
      if (this.#rules.lateRestartKeepsOut && !this.#isCurrent(refresh)) return;
      this.#current = undefined;
      this.start(reason);
    });
    if (this.#rules.answerRunOut) this.#answer(false);
  }

  #later(reason: string, retry: () => void): void {
    this.#failures += 1;
    const delayMs = retryDelayMs(this.#limits, this.#failures);
    this.#tell.event('refresh.retried', { reason, delayMs, failures: this.#failures });
    this.#clock.after(delayMs, retry);
  }

  /** Taken out first: whoever is called may wait anew. */
  #answer(refreshed: boolean): void {
    const waiters = this.#waiters;
    this.#waiters = this.#rules.waitersTakenFirst ? [] : [...waiters];
    for (const waiter of waiters) waiter(refreshed);
  }
}
