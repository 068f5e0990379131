import { type LeapingClock, manualClock } from '../../../harness/clock/index.ts';
import { stream } from '../../../harness/random/index.ts';
import type { NamedNode, PoolNode } from '../pool-node.ts';
import type { FetchResult } from '../pool-refresher.ts';
import { SnodePool } from '../snode-pool.ts';
import type { LogLevel } from '../tell.ts';
import type { Variant } from './rule-test.ts';

export interface Told {
  readonly event: string;
  readonly [field: string]: unknown;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/** Node `number` in swarm `swarm`, each in a /24 of its own unless told otherwise. */
export function node(number: number, swarm = 1, subnet = number): PoolNode {
  return {
    ed25519: number.toString(16).padStart(64, '0'),
    swarmId: BigInt(swarm),
    ip: `198.18.${subnet}.${number}`,
    httpsPort: 22_021,
  };
}

/** 24 nodes, 6 a swarm, in swarms 1 to 4. */
export function network(): readonly PoolNode[] {
  return Array.from({ length: 24 }, (_, index) => node(index + 1, Math.floor(index / 6) + 1));
}

export function account(number: number): string {
  return `05${number.toString(16).padStart(64, '0')}`;
}

export function named(...nodes: readonly PoolNode[]): readonly NamedNode[] {
  return nodes.map(({ ed25519, ip, httpsPort }) => ({ ed25519, ip, httpsPort }));
}

/** A pool on a clock that is led, whose fetches a test answers. Account n belongs to swarm n. */
export class PoolWorld {
  readonly clock: LeapingClock = manualClock({ wallMs: 1_700_000_000_000 });
  readonly told: Told[] = [];
  readonly lines: { readonly level: LogLevel; readonly line: string }[] = [];
  readonly tell = {
    event: (event: string, fields: Readonly<Record<string, unknown>>): void => {
      this.told.push({ event, ...fields });
    },
    log: (level: LogLevel, line: string): void => {
      this.lines.push({ level, line });
    },
  };
  readonly fetches: { readonly from: PoolNode; readonly onResult: (result: FetchResult) => void }[] = [];
  saved: ReadonlyMap<string, readonly number[]> = new Map();
  saves = 0;
  /** What every fetch is answered with at once; undefined: the test answers itself. */
  list: readonly PoolNode[] | 'failure' | undefined = network();
  readonly seeds: PoolNode[] = [node(201, 0), node(202, 0), node(203, 0)];
  readonly variant: Variant;
  pool: SnodePool;

  constructor(
    variant: Variant,
    options: { readonly fetcher?: false; readonly pool?: readonly PoolNode[] } = {},
  ) {
    this.variant = variant;
    this.pool = this.#newPool(options.fetcher !== false);
    const nodes = options.pool ?? network();
    if (nodes.length > 0) this.pool.replace(nodes);
  }

  /** Another launch with what was saved. */
  restart(): void {
    this.pool = this.#newPool(true);
    this.pool.replace(network());
  }

  events(name: string): readonly Told[] {
    return this.told.filter(({ event }) => event === name);
  }

  linesOf(level: LogLevel): readonly string[] {
    return this.lines.filter((one) => one.level === level).map(({ line }) => line);
  }

  get refreshes(): number {
    return this.events('refresh.started').length;
  }

  /** A rejection of account 1, and whether a refresh ran for it. */
  invalidate(): boolean {
    const before = this.refreshes;
    this.pool.invalidateSwarm(account(1));
    return this.refreshes > before;
  }

  /** Keys of the account's swarm as it is looked for now. */
  swarmKeys(number = 1): readonly string[] {
    let keys: readonly string[] = [];
    this.pool.getSwarm(account(number), ({ nodes }) => {
      keys = nodes.map(({ ed25519 }) => ed25519).sort();
    });
    return keys;
  }

  strike(number: number, times: number): void {
    for (let turn = 0; turn < times; turn += 1) this.pool.strikes.strike(node(number).ed25519, 'test');
  }

  answerFetches(list: readonly PoolNode[] | 'failure'): void {
    for (const { onResult } of this.fetches.splice(0)) onResult(resultOf(list));
  }

  #newPool(fetches: boolean): SnodePool {
    const { rules, limits } = this.variant;
    return new SnodePool({
      rules,
      limits,
      clock: this.clock,
      chance: stream('7', 'pool'),
      sources: {
        seeds: this.seeds,
        fetcher: fetches
          ? (from, _, onResult) => {
              if (this.list === undefined) this.fetches.push({ from, onResult });
              else onResult(resultOf(this.list));
            }
          : undefined,
      },
      strikes: {
        load: () => this.saved,
        save: (strikes) => {
          this.saved = strikes;
          this.saves += 1;
        },
      },
      onReplaced: () => undefined,
      tell: this.tell,
      mapSwarms: (nodes) => (of) => {
        const swarmId = BigInt(`0x${of.slice(2)}`);
        const members = nodes.filter((one) => one.swarmId === swarmId);
        return nodes.length === 0 ? undefined : { swarmId, nodes: members };
      },
    });
  }
}

function resultOf(list: readonly PoolNode[] | 'failure'): FetchResult {
  if (list === 'failure') return { ok: false, reason: 'test', bytes: 0 };
  return { ok: true, nodes: list, bytes: list.length * 51 };
}

/** Collects what a callback is called with, however often. */
export function calls<T>(): { readonly got: T[]; readonly on: (value: T) => void } {
  const got: T[] = [];
  return { got, on: (value) => got.push(value) };
}
