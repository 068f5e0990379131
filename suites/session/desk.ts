/** What courses ask of registry, storage nodes and client through their admin ports. */
import { SquallError } from '../../harness/errors/index.ts';
import type { TrialContext } from '../../harness/index.ts';
import { CLOCK_LEAPT, COURSE_BEGAN, COURSE_NOTED } from './events.ts';
import type { NoteName } from './notes.ts';

export const CLIENT = 'client-1';
export const REGISTRY = 'registry-1';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
/** Past the minute in which no rejection refreshes a pool, and far under the two hours of its expiry. */
export const AGED_MS = 10 * MINUTE_MS;

/** How often a state is read again, and how many times. */
const LOOK_EVERY = '50ms';
const LOOKS_MAX = 400;
const HAND_OVER_LOOKS = 100;

export interface Answer {
  readonly ok: boolean;
  readonly status?: number;
  readonly error?: string | null;
  readonly message?: string;
  readonly body?: unknown;
  /** Without an end while the admin port waited. */
  readonly hangs?: true;
}

export interface Account {
  readonly label: string;
  readonly id: string;
}

interface ClientState {
  readonly accounts: readonly Account[];
  readonly pool: {
    readonly size: number;
    readonly waiting: number;
    readonly refreshing: string | null;
    readonly ageChecks: number;
    readonly step: number;
    readonly refreshes: Readonly<Record<'started' | 'finished' | 'failed' | 'requests' | 'bytes', number>>;
    readonly overrides: Readonly<
      Record<string, { readonly nodes: readonly string[]; readonly count: number }>
    >;
    readonly impureMemos: readonly string[];
    readonly strikes: Readonly<Record<string, number>>;
  };
  readonly network: { readonly suspended: boolean; readonly clock: { readonly running: boolean } };
  readonly router: {
    readonly ready: boolean;
    readonly paths?: readonly { readonly nodes: readonly string[] }[];
  };
  readonly lines: Readonly<Record<'debug' | 'info' | 'warn' | 'error', number>>;
}

interface StorageState {
  readonly name: string;
  readonly ed25519: string;
  readonly swarm: string;
  readonly height: number;
  readonly listsPending: number;
  readonly bytes: { readonly received: number; readonly sent: number };
  readonly storm: { readonly answered: number };
}

interface Counts {
  readonly [node: string]: { readonly accounts?: Readonly<Record<string, Readonly<Record<string, number>>>> };
}

export interface Send {
  readonly method?: 'store' | 'retrieve' | (string & {});
  /** Label or id; the client's first account without. */
  readonly account?: string;
  readonly params?: unknown;
}

/** One trial's network and its one client. */
export class Desk {
  readonly #trial: TrialContext;
  #leaptMs = 0;

  constructor(trial: TrialContext) {
    this.#trial = trial;
  }

  get trial(): TrialContext {
    return this.#trial;
  }

  /** From here on things are counted. */
  begin(): void {
    this.#trial.emit(COURSE_BEGAN, {});
  }

  note(name: NoteName, value: number): void {
    this.#trial.emit(COURSE_NOTED, { name, value });
  }

  /** The client has a pool and every storage node a list. */
  async stands(): Promise<void> {
    await this.#look('every storage node has a list', async () =>
      (await this.storages()).every(({ swarm }) => swarm !== 'none'),
    );
    await this.#look('the client has a pool', async () => (await this.client()).pool.size > 0);
  }

  /** All clocks alike, so that signatures stay good. */
  async leap(ms: number): Promise<void> {
    this.#leaptMs += ms;
    this.#trial.emit(CLOCK_LEAPT, { leapMs: ms });
    const nodes = ['client', 'storage', 'registry'].flatMap((role) => this.#trial.nodes(role));
    await Promise.all(nodes.map(({ name }) => this.#ask(name, 'POST', '/clock', { leapMs: ms })));
  }

  async client(): Promise<ClientState> {
    const state = await this.#ask<{ readonly clients: readonly ClientState[] }>(CLIENT, 'GET', '/state');
    const [only] = state.clients;
    if (!only) throw new SquallError(`node ${CLIENT}: has no client; expected one`, { code: 'no-client' });
    return only;
  }

  async accounts(): Promise<readonly [Account, ...Account[]]> {
    return (await this.client()).accounts as readonly [Account, ...Account[]];
  }

  async storages(): Promise<readonly StorageState[]> {
    const nodes = this.#trial.nodes('storage');
    return await Promise.all(nodes.map(({ name }) => this.#ask<StorageState>(name, 'GET', '/state')));
  }

  /** Names of a swarm's members, and its label, as the registry has them for an account now. */
  async swarmOf(account: string): Promise<{ readonly swarm: string; readonly members: readonly string[] }> {
    return await this.#ask(REGISTRY, 'POST', '/account', { account });
  }

  /** Changes the list, and waits until every storage node goes by it. */
  async epoch(change: Readonly<Record<string, unknown>>): Promise<void> {
    const heights = (await this.storages()).map(({ height }) => height);
    await this.#ask(REGISTRY, 'POST', '/epoch', change);
    await this.#look('every storage node goes by the new list', async () =>
      (await this.storages()).every(
        ({ height, listsPending }, index) => height > (heights[index] ?? 0) && listsPending === 0,
      ),
    );
  }

  /** The account goes to another swarm than the one that it is in. */
  async moveAccount({ id }: Account): Promise<void> {
    const { swarm } = await this.swarmOf(id);
    await this.epoch({ change: 'move', account: id, to: swarm === '1' ? '2' : '1' });
  }

  /** Nodes answer as the storm says; all storage nodes unless `on` names some. */
  async storm(spec: Readonly<Record<string, unknown>>, on?: readonly string[]): Promise<void> {
    const names = on ?? this.#trial.nodes('storage').map(({ name }) => name);
    await Promise.all(names.map((name) => this.#ask(name, 'POST', '/storm', spec)));
  }

  async calm(): Promise<void> {
    await this.storm({ on: false });
  }

  async send({ method = 'retrieve', account, params }: Send = {}): Promise<Answer> {
    const body = {
      method,
      ...(account !== undefined && { account }),
      ...(params !== undefined && { params }),
    };
    return await this.post<Answer>('/send', body, { ok: false, hangs: true });
  }

  /** An admin request to the client. @param hanging what stands for an answer that did not come in time */
  async post<T>(path: string, body: unknown, hanging: T): Promise<T> {
    const answer = await this.#trial.admin(CLIENT, 'POST', path, body);
    if (answer.status === 202) return hanging;
    if (answer.status !== 200) throw refused(CLIENT, `POST ${path}`, answer);
    const { results } = JSON.parse(answer.body) as { readonly results: readonly (T | null)[] };
    return results[0] ?? hanging;
  }

  async command(path: '/suspend' | '/resume' | '/close' | '/poll'): Promise<void> {
    await this.#ask(CLIENT, 'POST', path, {});
  }

  /** Sends so many requests one after another, and notes how they ended. */
  async sends(count: number, send: Send = {}): Promise<readonly Answer[]> {
    const answers: Answer[] = [];
    for (let turn = 0; turn < count; turn += 1) answers.push(await this.send(send));
    this.noteAnswers(answers);
    return answers;
  }

  noteAnswers(answers: readonly Answer[]): void {
    const ended = answers.filter(({ hangs }) => !hangs);
    this.note('answered', ended.filter(({ ok }) => ok).length);
    this.note('unanswered', ended.filter(({ ok }) => !ok).length);
    this.note('hanging', answers.length - ended.length);
  }

  /** What the storm did and what the client knows at the end. */
  async noteState(): Promise<void> {
    const [client, storages] = [await this.client(), await this.storages()];
    this.note(
      'stormAnswers',
      storages.reduce((sum, { storm }) => sum + storm.answered, 0),
    );
    this.note('overridden', Object.keys(client.pool.overrides).length);
    this.note('impureMemos', client.pool.impureMemos.length);
    this.note('poolSize', client.pool.size);
    this.note('waiting', client.pool.waiting);
    this.note('resyncRunning', Number(client.network.clock.running));
  }

  /** Fetches the list whatever the pool is like. */
  async refresh(): Promise<void> {
    await this.post('/refresh', {}, {});
  }

  /** Asks for so many random nodes, and notes how many there were. */
  async randomNodes(count: number): Promise<void> {
    const answer = await this.post<{ readonly count: number } | undefined>(
      '/random-nodes',
      { count },
      undefined,
    );
    this.note('hanging', answer ? 0 : 1);
    this.note('randomNodes', answer?.count ?? 0);
  }

  /** Wall time of the nodes, which have leapt. */
  get wallMs(): number {
    return Date.now() + this.#leaptMs;
  }

  /** A store that needs no signature, as a part of a batch; without an account it names none. */
  storePart(account?: Account): {
    readonly method: 'store';
    readonly params: Readonly<Record<string, unknown>>;
  } {
    const params = { namespace: 0, timestamp: this.wallMs, ttl: HOUR_MS, data: 'c3F1YWxs' };
    return { method: 'store', params: account ? { pubkey: account.id, ...params } : params };
  }

  /** A batch of stores for these accounts, sent to the swarm of the first of them or of `to`. */
  async sendBatch(parts: readonly (Account | undefined)[], to = parts[0]): Promise<Answer> {
    const requests = parts.map((part) => this.storePart(part));
    const answer = await this.send({
      method: 'batch',
      ...(to && { account: to.id }),
      params: { requests },
    });
    this.noteAnswers([answer]);
    return answer;
  }

  /** How many requests each storage node was asked for the account so far, in the order of the nodes. */
  async askedFor({ id }: Account): Promise<readonly number[]> {
    const nodes = this.#trial.nodes('storage');
    return await Promise.all(
      nodes.map(async ({ name }) => {
        const counts = await this.#ask<Counts>(name, 'GET', '/counts');
        const byStatus = counts[name]?.accounts?.[id] ?? {};
        return Object.values(byStatus).reduce((sum, count) => sum + count, 0);
      }),
    );
  }

  /** Hashes that each member has of the account, once each has as many as that, or after a while. */
  async heldBy(
    members: readonly string[],
    { id }: Account,
    count: number,
  ): Promise<readonly (readonly string[])[]> {
    const ask = async (): Promise<readonly (readonly string[])[]> =>
      await Promise.all(
        members.map(async (name) => {
          const { hashes } = await this.#ask<{ readonly hashes: readonly string[] }>(
            name,
            'POST',
            '/messages',
            {
              account: id,
            },
          );
          return hashes;
        }),
      );
    let held = await ask();
    for (let looks = 0; looks < HAND_OVER_LOOKS && held.some(({ length }) => length !== count); looks += 1) {
      await this.#trial.wait(LOOK_EVERY);
      held = await ask();
    }
    return held;
  }

  /** Until no refresh is under way. */
  async settles(): Promise<void> {
    await this.#look('no refresh is under way', async () => (await this.client()).pool.refreshing === null);
  }

  async #look(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (let looks = 0; !(await holds()); looks += 1) {
      if (looks >= LOOKS_MAX)
        throw new SquallError(`${what}: not so after ${LOOKS_MAX} looks, ${LOOK_EVERY} apart`, {
          code: 'never-stood',
          hint: 'See the logs of client-1 and registry-1.',
        });
      await this.#trial.wait(LOOK_EVERY);
    }
  }

  async #ask<T>(node: string, method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
    const answer = await this.#trial.admin(node, method, path, body);
    if (answer.status !== 200) throw refused(node, `${method} ${path}`, answer);
    return JSON.parse(answer.body) as T;
  }
}

function refused(node: string, request: string, answer: { readonly status: number; readonly body: string }) {
  return new SquallError(
    `node ${node}: answered ${answer.status} to ${request}; expected 200: ${answer.body.slice(0, 200)}`,
    { code: 'admin-refused', facts: { node, request, status: answer.status } },
  );
}
