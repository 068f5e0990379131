import type { Clock, Timer } from '../../harness/clock/index.ts';
import type { ClientRules } from './client-rules.ts';
import type { PoolLimits } from './pool-limits.ts';
import type { Tell } from './tell.ts';

/** Who counts strikes: one function for all of them, and a mutant for each that counts expired ones too. */
export type StrikeSite = 'count' | 'usable' | 'unused' | 'swarm';

/** Where strikes and the pool outlive a process; times are those of the wall. */
export interface StrikeStore {
  load(): ReadonlyMap<string, readonly number[]>;
  save(strikes: ReadonlyMap<string, readonly number[]>): void;
}

/** When each node failed. A node with as many strikes as the threshold is out, until they are 48 h old. */
export class StrikeBook {
  readonly #rules: ClientRules;
  readonly #limits: PoolLimits;
  readonly #clock: Clock;
  readonly #store: StrikeStore;
  readonly #tell: Tell;
  readonly #strikes = new Map<string, number[]>();
  #saving: Timer | undefined;

  constructor(rules: ClientRules, limits: PoolLimits, clock: Clock, store: StrikeStore, tell: Tell) {
    this.#rules = rules;
    this.#limits = limits;
    this.#clock = clock;
    this.#store = store;
    this.#tell = tell;
    const sinceMs = clock.wallMs() - limits.strikeExpiryMs;
    for (const [node, times] of store.load()) {
      const fresh = times.filter((atMs) => atMs > sinceMs);
      if (fresh.length > 0) this.#strikes.set(node, fresh);
    }
  }

  /** @param permanent the node is known to be gone: it is out at once, whatever the threshold */
  strike(node: string, reason: string, permanent = false): void {
    const { strikeThreshold } = this.#limits;
    const nowMs = this.#clock.wallMs();
    const times = this.#strikes.get(node) ?? [];
    if (this.#rules.pruneOnStrike) this.#prune(node, times, nowMs);
    const least = this.#rules.permanentStrikesOut ? Math.max(1, strikeThreshold) : strikeThreshold;
    const added = permanent ? least : 1;
    for (let turn = 0; turn < added; turn += 1) times.push(nowMs);
    if (times.length > 0) this.#strikes.set(node, times);
    const strikes = this.count(node);
    this.#tell.event('strike.added', { node, reason, added, strikes, out: this.isOut(node, 'count') });
    this.#saving ??= this.#clock.after(this.#limits.strikeSaveMs, () => this.flush());
  }

  count(node: string, site: StrikeSite = 'count'): number {
    const times = this.#strikes.get(node) ?? [];
    if (!this.#honoursExpiry(site)) return times.length;
    const sinceMs = this.#clock.wallMs() - this.#limits.strikeExpiryMs;
    return times.filter((atMs) => atMs > sinceMs).length;
  }

  /** At a threshold of 0 the first strike excludes, and a node that never failed stays. */
  isOut(node: string, site: StrikeSite): boolean {
    const { strikeThreshold } = this.#limits;
    const least = this.#rules.neverFailedStays ? Math.max(1, strikeThreshold) : strikeThreshold;
    return this.count(node, site) >= least;
  }

  /** Saves now what was to be saved later. */
  flush(): void {
    if (!this.#saving) return;
    this.#saving.cancel();
    this.#saving = undefined;
    const sinceMs = this.#clock.wallMs() - this.#limits.strikeExpiryMs;
    const fresh = [...this.#strikes].map(
      ([node, times]) => [node, times.filter((atMs) => atMs > sinceMs)] as const,
    );
    this.#store.save(new Map(fresh.filter(([, times]) => times.length > 0)));
  }

  /** How many times are kept for a node, expired ones included. */
  kept(node: string): number {
    return this.#strikes.get(node)?.length ?? 0;
  }

  /** Nodes with strikes that count, for `/state`. */
  all(): Readonly<Record<string, number>> {
    const counts = [...this.#strikes.keys()].map((node) => [node, this.count(node)] as const);
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  #prune(node: string, times: number[], nowMs: number): void {
    const fresh = times.filter((atMs) => atMs > nowMs - this.#limits.strikeExpiryMs);
    const expired = times.length - fresh.length;
    if (expired === 0) return;
    times.splice(0, times.length, ...fresh);
    this.#tell.event('strike.expired', { node, expired });
  }

  #honoursExpiry(site: StrikeSite): boolean {
    const { expiryInCount, expiryInUsable, expiryInUnused, expiryInSwarm } = this.#rules;
    return { count: expiryInCount, usable: expiryInUsable, unused: expiryInUnused, swarm: expiryInSwarm }[
      site
    ];
  }
}
