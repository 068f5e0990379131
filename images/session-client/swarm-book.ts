import { INVALID_SWARM_ID } from '../session-kit/index.ts';
import type { ClientRules } from './client-rules.ts';
import type { PoolLimits } from './pool-limits.ts';
import type { NamedNode, PoolNode } from './pool-node.ts';
import type { Tell } from './tell.ts';

export interface Swarm {
  readonly swarmId: bigint;
  readonly nodes: readonly PoolNode[];
}

/** The swarm of an account by ring distance, over the swarms of one list of nodes; undefined when there are none. */
export type SwarmLookup = (account: string) => Swarm | undefined;

export type SwarmSource = 'calculated' | 'memo' | 'override';

export interface RedirectOutcome {
  /** Its known nodes are the account's swarm from now on. */
  readonly followed: boolean;
  /** A refresh is to be asked for as well, and why. */
  readonly asks?: 'short' | 'limit' | 'unknown';
}

/** A count of this many stays there. */
const COUNT_MAX = 255;

/**
 * Which swarm each account is looked for in. `memo` is a pure memo of the calculation over the pool; what rejections said
 * lies beside it, and ends with the pool that it corrects.
 */
export class SwarmBook {
  readonly #rules: ClientRules;
  readonly #limits: PoolLimits;
  readonly #tell: Tell;
  #lookup: SwarmLookup = () => undefined;
  #nodes: ReadonlyMap<string, PoolNode> = new Map();
  readonly #memo = new Map<string, Swarm>();
  readonly #overrides = new Map<string, Swarm>();
  readonly #counts = new Map<string, number>();
  readonly #warnedUnknown = new Set<string>();

  constructor(rules: ClientRules, limits: PoolLimits, tell: Tell) {
    this.#rules = rules;
    this.#limits = limits;
    this.#tell = tell;
  }

  /** A refresh replaced the pool. */
  replace(nodes: readonly PoolNode[], lookup: SwarmLookup): void {
    this.#nodes = new Map(nodes.map((node) => [node.ed25519, node]));
    this.#lookup = lookup;
    this.#memo.clear();
    this.#warnedUnknown.clear();
    if (this.#rules.refreshDropsOverrides) this.#overrides.clear();
    if (this.#rules.refreshResetsCounts) this.#counts.clear();
  }

  /** Where the account is looked for; undefined when the pool has no swarms. */
  find(account: string): (Swarm & { readonly source: SwarmSource }) | undefined {
    const override = this.#overrides.get(account);
    if (override) return { ...override, source: 'override' };
    const memo = this.#memo.get(account);
    if (memo) return { ...memo, source: 'memo' };
    const swarm = this.#lookup(account);
    if (!swarm) return undefined;
    this.#memo.set(account, swarm);
    return { ...swarm, source: 'calculated' };
  }

  /** What the obvious fix does; the next lookup calculates the same again. */
  evict(account: string): void {
    this.#memo.delete(account);
  }

  /** A node that rejected a request for the account named these as its swarm. @param from that node, for the event alone */
  redirect(account: string, named: readonly NamedNode[], from?: string): RedirectOutcome {
    const names = new Map(named.map((node) => [node.ed25519, node]));
    const known = [...names.values()].flatMap((node) => this.#resolve(node) ?? []);
    const unknown = names.size - known.length;
    const facts = { account, ...(from && { from }), named: names.size, known: known.length };
    const refusal = this.#refusal(account, known);
    if (refusal !== undefined) {
      this.#tell.event('redirect.refused', { ...facts, reason: refusal });
      this.#warnOfUnknown(account, unknown);
      return { followed: false };
    }
    const count = this.#count(account);
    this.#override(account, known);
    const asks = this.#asks(count, known.length, unknown);
    this.#tell.event('redirect.followed', {
      ...facts,
      nodes: known.map(({ ed25519 }) => ed25519),
      count,
      asks: asks ?? null,
    });
    this.#log(account, count, unknown, known.length);
    return asks ? { followed: true, asks } : { followed: true };
  }

  /** An account's request was answered: the count takes no notice of it. */
  answered(account: string): void {
    if (!this.#rules.countOutlivesAnswers) this.#counts.delete(this.#countKey(account));
  }

  /** For `/state`. */
  overrides(): Readonly<Record<string, { readonly nodes: readonly string[]; readonly count: number }>> {
    const entries = [...this.#overrides].map(([account, { nodes }]) => [
      account,
      { nodes: nodes.map(({ ed25519 }) => ed25519), count: this.#counts.get(this.#countKey(account)) ?? 0 },
    ]);
    return Object.fromEntries(entries);
  }

  /** Accounts whose memo differs from what the pool says: none, while it is a pure memo. */
  impureMemos(): readonly string[] {
    return [...this.#memo]
      .filter(([account, { nodes }]) => !sameNodes(nodes, this.#lookup(account)?.nodes ?? []))
      .map(([account]) => account);
  }

  #resolve(node: NamedNode): PoolNode | undefined {
    const known = this.#nodes.get(node.ed25519);
    if (this.#rules.readKeysOnly) return known;
    return { swarmId: known?.swarmId ?? INVALID_SWARM_ID, ...node };
  }

  #refusal(account: string, known: readonly PoolNode[]): string | undefined {
    const { followPartlyKnown, ignoreCalculatedSwarm, limitNeverRefuses } = this.#rules;
    if (known.length === 0) return 'none-known';
    if (!followPartlyKnown && known.length < this.#limits.cacheMinSwarmSize) return 'short';
    if (!ignoreCalculatedSwarm && sameNodes(known, this.#lookup(account)?.nodes ?? [])) return 'calculated';
    const count = this.#counts.get(this.#countKey(account)) ?? 0;
    if (!limitNeverRefuses && count >= this.#limits.redirectsBeforeRefresh) {
      this.#overrides.delete(account);
      this.#counts.delete(this.#countKey(account));
      return 'limit';
    }
    return undefined;
  }

  #count(account: string): number {
    const key = this.#countKey(account);
    const next = (this.#counts.get(key) ?? 0) + 1;
    const count = this.#rules.countSaturates ? Math.min(COUNT_MAX, next) : next % (COUNT_MAX + 1);
    this.#counts.set(key, count);
    return count;
  }

  #countKey(account: string): string {
    return this.#rules.countPerAccount ? account : '';
  }

  #override(account: string, nodes: readonly PoolNode[]): void {
    const swarmId = this.#rules.overrideHasNoId
      ? INVALID_SWARM_ID
      : (this.#lookup(account)?.swarmId ?? INVALID_SWARM_ID);
    (this.#rules.overridesApart ? this.#overrides : this.#memo).set(account, { swarmId, nodes });
  }

  #asks(count: number, known: number, unknown: number): RedirectOutcome['asks'] {
    const { limitAsksForRefresh, refreshWhenShort, refreshWhenShortAndKnown, fullSwarmAsksNothing } =
      this.#rules;
    if (limitAsksForRefresh && count > this.#limits.redirectsBeforeRefresh) return 'limit';
    const short = known < this.#limits.cacheMinSwarmSize;
    if (refreshWhenShort && short && (unknown > 0 || refreshWhenShortAndKnown)) return 'short';
    return !fullSwarmAsksNothing && !short && unknown > 0 ? 'unknown' : undefined;
  }

  #log(account: string, count: number, unknown: number, known: number): void {
    const { quietRedirects, limitWarnsOnce } = this.#rules;
    this.#tell.log(quietRedirects ? 'debug' : 'info', `redirected ${account} to ${known} nodes`);
    this.#warnOfUnknown(account, unknown);
    const over = count - this.#limits.redirectsBeforeRefresh;
    if (over <= 0) return;
    const warns = over === 1 || !limitWarnsOnce;
    this.#tell.log(
      warns ? 'warn' : 'debug',
      `${account} was redirected ${count} times since the last refresh`,
    );
  }

  /** Of a redirect that is refused as of one that is followed: the pool lacks nodes either way. */
  #warnOfUnknown(account: string, unknown: number): void {
    if (unknown === 0 || (!this.#rules.unknownWarnsEachTime && this.#warnedUnknown.has(account))) return;
    this.#warnedUnknown.add(account);
    this.#tell.log('warn', `a redirect of ${account} names ${unknown} nodes that are not in the pool`);
  }
}

function sameNodes(a: readonly PoolNode[], b: readonly PoolNode[]): boolean {
  const keys = new Set(b.map(({ ed25519 }) => ed25519));
  return a.length === b.length && a.every(({ ed25519 }) => keys.has(ed25519));
}
