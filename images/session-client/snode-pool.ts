import type { Clock, Timer } from '../../harness/clock/index.ts';
import type { SeededStream } from '../../harness/random/index.ts';
import { INVALID_SWARM_ID, subnet24 } from '../session-kit/index.ts';
import type { ClientRules } from './client-rules.ts';
import type { PoolLimits } from './pool-limits.ts';
import type { NamedNode, PoolNode } from './pool-node.ts';
import {
  PoolRefresher,
  type RefreshReason,
  type RefreshSources,
  type RefreshWaiter,
} from './pool-refresher.ts';
import { RejectionThrottle } from './rejection-throttle.ts';
import { StrikeBook, type StrikeSite, type StrikeStore } from './strike-book.ts';
import {
  type RedirectOutcome,
  type Swarm,
  SwarmBook,
  type SwarmLookup,
  type SwarmSource,
} from './swarm-book.ts';
import type { Tell } from './tell.ts';

export interface PoolPorts {
  readonly rules: ClientRules;
  readonly limits: PoolLimits;
  readonly clock: Clock;
  readonly chance: SeededStream;
  readonly sources: RefreshSources;
  readonly strikes: StrikeStore;
  /** A refresh gave these. */
  readonly onReplaced: (nodes: readonly PoolNode[]) => void;
  readonly tell: Tell;
  /** Swarms by ring distance over a list of nodes. */
  readonly mapSwarms: (nodes: readonly PoolNode[]) => SwarmLookup;
}

export type SwarmAnswer = Swarm & { readonly source: SwarmSource | 'none' };

/** What the client knows of the storage nodes, and how it comes to know better. */
export class SnodePool {
  readonly strikes: StrikeBook;
  readonly #rules: ClientRules;
  readonly #limits: PoolLimits;
  readonly #clock: Clock;
  readonly #chance: SeededStream;
  readonly #tell: Tell;
  readonly #mapSwarms: PoolPorts['mapSwarms'];
  readonly #book: SwarmBook;
  readonly #throttle: RejectionThrottle;
  readonly #refresher: PoolRefresher;
  #nodes: readonly PoolNode[] = [];
  #replacedAtMs: number | undefined;
  #ageChecks = 0;
  /** How often somebody asked for a refresh and waited for its end. */
  #awaited = 0;
  #suspended = false;
  /** A refresh that waits until the pool is old enough for it. */
  #delayed: Timer | undefined;

  constructor(ports: PoolPorts) {
    const { rules, limits, clock, chance, tell } = ports;
    this.#rules = rules;
    this.#limits = limits;
    this.#clock = clock;
    this.#chance = chance;
    this.#tell = tell;
    this.#mapSwarms = ports.mapSwarms;
    this.strikes = new StrikeBook(rules, limits, clock, ports.strikes, tell);
    this.#book = new SwarmBook(rules, limits, tell);
    this.#throttle = new RejectionThrottle(rules, limits);
    this.#refresher = new PoolRefresher(
      ports,
      () => this.#nodes,
      (nodes) => {
        this.replace(nodes);
        ports.onReplaced(nodes);
      },
    );
  }

  get size(): number {
    return this.#nodes.length;
  }

  get nodes(): readonly PoolNode[] {
    return this.#nodes;
  }

  /** The pool of an earlier run, or that of a refresh. @param ageMs how old the list is already */
  replace(nodes: readonly PoolNode[], ageMs = 0): void {
    this.#cancelDelayed();
    this.#nodes = nodes;
    this.#replacedAtMs = this.#clock.nowMs() - ageMs;
    this.#book.replace(nodes, this.#mapSwarms(nodes));
  }

  /** The list no longer has these; only what a mutant does to a struck edge node. */
  forget(node: string): void {
    this.#nodes = this.#nodes.filter(({ ed25519 }) => ed25519 !== node);
  }

  /**
   * Refreshes when the pool is empty, older than its expiry, or short of nodes that are neither out nor in use.
   * @param onEnd true when a refresh ran, or at once and inline when none was needed; false when it could not
   */
  refreshIfNeeded(inUse: readonly PoolNode[] = [], onEnd?: RefreshWaiter): void {
    if (onEnd) this.#awaited += 1;
    if (this.#suspended) {
      if (this.#rules.answerSuspended) onEnd?.(false);
      return;
    }
    if (this.#refresher.reason !== undefined || this.#delayed) {
      if (onEnd) this.#refresher.wait(onEnd);
      return;
    }
    const ageMs = this.#ageMs();
    const reason = this.#needs(inUse, ageMs);
    if (!reason) {
      onEnd?.(this.#rules.noneNeededIsTrue);
      return;
    }
    if (onEnd) this.#refresher.wait(onEnd);
    const delayMs = this.#limits.cacheMinLifetimeMs - ageMs;
    if (delayMs <= 0) this.#refresher.start(reason);
    else {
      this.#delayed = this.#clock.after(delayMs, () => {
        this.#delayed = undefined;
        this.#refresher.start(reason);
      });
    }
  }

  /**
   * A node rejected a request for the account: the pool that its swarm was worked out from is wrong.
   * @param onEnd true when a refresh ran since
   */
  invalidateSwarm(account: string, onEnd?: RefreshWaiter): void {
    if (this.#limits.evictOnRejection) this.#book.evict(account);
    if (!this.#rules.refreshOnEvidence) {
      this.refreshIfNeeded([], onEnd);
      return;
    }
    if (this.#suspended) {
      this.#decline(account, 'suspended', undefined);
      onEnd?.(false);
      return;
    }
    if (this.#refresher.reason !== undefined) {
      if (onEnd) this.#refresher.wait(onEnd);
      return;
    }
    this.#tell.event('refresh.asked', { account, reason: 'rejection' });
    const answer = this.#throttle.reject(this.#clock.nowMs(), this.#replacedAtMs);
    if (!answer.runs) {
      this.#decline(account, answer.reason, answer.nextMs);
      onEnd?.(false);
      return;
    }
    this.#tell.event('swarm.invalidated', { account, step: answer.step, nextMs: answer.nextMs });
    if (onEnd) this.#refresher.wait(onEnd);
    this.#refresher.start('rejection');
  }

  /** Refreshes whatever the pool is like; for whoever asks from outside. */
  refreshNow(onEnd: RefreshWaiter): void {
    this.#refresher.wait(onEnd);
    this.#refresher.start('asked');
  }

  /** What the named nodes mean for the account's swarm; the caller asks for the refresh, once a response. */
  recordRedirect(account: string, named: readonly NamedNode[], from?: string): RedirectOutcome {
    return this.#book.redirect(account, named, from);
  }

  /** Where redirects have accounts looked for, and how often each was redirected. */
  overrides(): ReturnType<SwarmBook['overrides']> {
    return this.#book.overrides();
  }

  recordAnswer(account: string): void {
    this.#book.answered(account);
  }

  /** The account's nodes in a random order, those that are out only as far as the swarm would be too small without. */
  getSwarm(account: string, onSwarm: (answer: SwarmAnswer) => void): void {
    if (this.#rules.everyLookupChecksAge) this.#checkAgeSoon([]);
    this.#lookUp(account, onSwarm);
  }

  #lookUp(account: string, onSwarm: (answer: SwarmAnswer) => void): void {
    const found = this.#nodes.length === 0 ? undefined : this.#book.find(account);
    if (!found) {
      this.#getSwarmLater(account, onSwarm);
      return;
    }
    if (!this.#rules.everyLookupChecksAge && found.source === 'calculated') this.#checkAgeSoon([]);
    this.#tell.event('swarm.resolved', {
      account,
      source: found.source,
      swarm: found.swarmId === INVALID_SWARM_ID ? null : found.swarmId.toString(16).padStart(16, '0'),
      size: found.nodes.length,
    });
    onSwarm({ ...found, nodes: this.#usableOf(found.nodes) });
  }

  /** Up to `count` nodes, no two of them or of `exclude` in one /24, none that is out. */
  getUnusedNodes(count: number, exclude: readonly PoolNode[] = []): readonly PoolNode[] {
    this.#checkAgeSoon(exclude);
    const taken: PoolNode[] = [];
    const excluded = new Set(exclude.map(({ ed25519 }) => ed25519));
    const { subnetDiversity } = this.#limits;
    const subnets = new Set(subnetDiversity ? exclude.map(({ ip }) => subnet24(ip)) : []);
    const start = this.#nodes.length === 0 ? 0 : this.#chance.integer(this.#nodes.length);
    for (let offset = 0; offset < this.#nodes.length && taken.length < count; offset += 1) {
      const node = this.#nodes[(start + offset) % this.#nodes.length] as PoolNode;
      if (excluded.has(node.ed25519) || this.isOut(node, 'unused')) continue;
      if (subnetDiversity && subnets.has(subnet24(node.ip))) continue;
      taken.push(node);
      if (subnetDiversity) subnets.add(subnet24(node.ip));
    }
    return taken;
  }

  isOut(node: PoolNode, site: StrikeSite = 'count'): boolean {
    return this.strikes.isOut(node.ed25519, site);
  }

  suspend(): void {
    this.#suspended = true;
    if (this.#rules.suspendFlushesStrikes) this.strikes.flush();
    this.#cancelDelayed();
    if (this.#refresher.suspend() === 'rejection') this.#throttle.abandoned();
  }

  resume(): void {
    if (!this.#suspended) return;
    this.#suspended = false;
    this.#refresher.resume();
  }

  /** For `/state`. */
  state(): Readonly<Record<string, unknown>> {
    return {
      size: this.#nodes.length,
      ageMs: this.#replacedAtMs === undefined ? null : this.#ageMs(),
      ageChecks: this.#ageChecks,
      awaited: this.#awaited,
      refreshing: this.#refresher.reason ?? null,
      waiting: this.#refresher.waiting,
      refreshes: { ...this.#refresher.counters },
      step: this.#throttle.step,
      overrides: this.#book.overrides(),
      impureMemos: this.#book.impureMemos(),
      strikes: this.strikes.all(),
    };
  }

  #cancelDelayed(): void {
    this.#delayed?.cancel();
    this.#delayed = undefined;
  }

  #ageMs(): number {
    return this.#replacedAtMs === undefined
      ? Number.POSITIVE_INFINITY
      : this.#clock.nowMs() - this.#replacedAtMs;
  }

  #needs(inUse: readonly PoolNode[], ageMs: number): RefreshReason | undefined {
    if (this.#nodes.length === 0) return 'empty';
    if (ageMs > this.#limits.cacheExpirationMs) return 'age';
    const used = new Set(inUse.map(({ ed25519 }) => ed25519));
    const usable = this.#nodes.filter((node) => !used.has(node.ed25519) && !this.isOut(node, 'usable'));
    return usable.length < this.#limits.cacheMinSize ? 'usable' : undefined;
  }

  /** After whatever asked for nodes, which may be about to make a request of its own. */
  #checkAgeSoon(inUse: readonly PoolNode[]): void {
    this.#ageChecks += 1;
    this.#clock.after(0, () => this.refreshIfNeeded(inUse));
  }

  #decline(account: string, reason: string, nextMs: number | undefined): void {
    this.#tell.event('refresh.declined', { account, reason, nextMs: nextMs ?? null });
    const level = this.#rules.quietRedirects ? 'debug' : 'info';
    this.#tell.log(level, `a rejection of ${account} refreshes nothing: ${reason}`);
  }

  #getSwarmLater(account: string, onSwarm: (answer: SwarmAnswer) => void): void {
    const nobody: SwarmAnswer = { swarmId: INVALID_SWARM_ID, nodes: [], source: 'none' };
    this.refreshIfNeeded([], (refreshed) => {
      if (refreshed && this.#nodes.length > 0 && this.#book.find(account)) this.#lookUp(account, onSwarm);
      else onSwarm(nobody);
    });
  }

  #usableOf(swarm: readonly PoolNode[]): readonly PoolNode[] {
    const shuffled = this.#chance.shuffle(swarm);
    const usable = shuffled.filter((node) => !this.isOut(node, 'swarm'));
    const missing = this.#limits.cacheMinSwarmSize - usable.length;
    if (missing <= 0) return usable;
    const out = shuffled
      .filter((node) => this.isOut(node, 'swarm'))
      .sort((a, b) => this.strikes.count(a.ed25519, 'swarm') - this.strikes.count(b.ed25519, 'swarm'));
    return [...usable, ...out.slice(0, missing)];
  }
}
