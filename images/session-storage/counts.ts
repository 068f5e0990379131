/** What was answered: to whom, about whom, how. */
export interface Answered {
  readonly method: string;
  readonly status: number;
  /** 66 digits, or empty for what is about no account. */
  readonly account: string;
  /** Address of the client, or the name of the place that a request inside another has. */
  readonly client: string;
  /** Of node lists: what a refresh costs, without the answer's head. */
  readonly listBytes: number;
}

interface Tally {
  total: number;
  listBytes: number;
  readonly byStatus: Map<number, number>;
  readonly byMethod: Map<string, number>;
  readonly byAccount: Map<string, Map<number, number>>;
  readonly byClient: Map<string, Map<number, number>>;
}

/** More different ones than this are counted together. */
const KEYS_MAX = 20_000;
const REST = 'rest';

/** Counts answers by status, method, account and client, since the start and since it was last asked. */
export class Counts {
  #total = emptyTally();
  #recent = emptyTally();

  count(answered: Answered): void {
    for (const tally of [this.#total, this.#recent]) {
      tally.total += 1;
      tally.listBytes += answered.listBytes;
      add(tally.byStatus, answered.status);
      add(tally.byMethod, answered.method);
      if (answered.account !== '') add(nested(tally.byAccount, answered.account), answered.status);
      add(nested(tally.byClient, answered.client), answered.status);
    }
  }

  get answered(): number {
    return this.#total.total;
  }

  status(status: number): number {
    return this.#total.byStatus.get(status) ?? 0;
  }

  summary() {
    const { byStatus, byMethod, listBytes } = this.#total;
    return { listBytes, statuses: Object.fromEntries(byStatus), methods: Object.fromEntries(byMethod) };
  }

  full() {
    const { byAccount, byClient } = this.#total;
    return { ...this.summary(), accounts: objectOf(byAccount), clients: objectOf(byClient) };
  }

  /** What came since the last call, or undefined when nothing did. */
  takeRecent() {
    const { total, listBytes, byStatus, byMethod, byClient } = this.#recent;
    this.#recent = emptyTally();
    if (total === 0) return undefined;
    return {
      answered: total,
      listBytes,
      statuses: Object.fromEntries(byStatus),
      methods: Object.fromEntries(byMethod),
      clients: byClient.size,
    };
  }
}

function emptyTally(): Tally {
  return {
    total: 0,
    listBytes: 0,
    byStatus: new Map(),
    byMethod: new Map(),
    byAccount: new Map(),
    byClient: new Map(),
  };
}

function add<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function nested(counts: Map<string, Map<number, number>>, key: string): Map<number, number> {
  const place = counts.has(key) || counts.size < KEYS_MAX ? key : REST;
  const found = counts.get(place) ?? new Map<number, number>();
  counts.set(place, found);
  return found;
}

function objectOf(counts: ReadonlyMap<string, ReadonlyMap<number, number>>) {
  return Object.fromEntries([...counts].map(([key, inner]) => [key, Object.fromEntries(inner)]));
}
