/** What courses ask of registry, storage nodes and client through their admin ports. */
import { SquallError } from '../../harness/errors/index.ts';
import type { TrialContext } from '../../harness/index.ts';
import clientImage from '../../images/session-client/image.json' with { type: 'json' };
import storageImage from '../../images/session-storage/image.json' with { type: 'json' };
import type { Account, Answer, ClientState, Counts, Hashes, Send, StorageState } from './admin-answers.ts';
import { CLOCK_LEAPT, COURSE_BEGAN, COURSE_NOTED, SWARM_NOTED } from './events.ts';
import { environmentOf, type Settings } from './launch-settings.ts';
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
const TELLS_LOOKS = 200;
/** Seconds without a pool. */
const LOOKS_A_LAUNCH = 60;

export type { Account, Answer, Send } from './admin-answers.ts';

/** One trial's network and its one client. */
export class Desk {
  /** By what is each trial's own, since each of its steps is handed a context of its own. */
  static readonly #desks = new WeakMap<AbortSignal, Desk>();
  readonly #trial: TrialContext;
  readonly #kept = new Map<string, unknown>();
  #leaptMs = 0;
  #atNextOrder: (() => void) | undefined;

  /** The trial's desk, whichever of its steps asks. */
  static at(trial: TrialContext): Desk {
    const desk = Desk.#desks.get(trial.signal) ?? new Desk(trial);
    Desk.#desks.set(trial.signal, desk);
    return desk;
  }

  constructor(trial: TrialContext) {
    this.#trial = trial;
  }

  get trial(): TrialContext {
    return this.#trial;
  }

  /** For a later part of the course: a request under way, say. */
  keep(name: string, value: unknown): void {
    this.#kept.set(name, value);
  }

  /** What an earlier part of the course kept. */
  kept<T>(name: string): T {
    return this.#kept.get(name) as T;
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
    await this.#look('the client has a pool', async (looks) => {
      if ((await this.client()).pool.size > 0) return true;
      // One that began before its seed listened asks again after its retry delay, which courses may make minutes.
      if (looks % LOOKS_A_LAUNCH === LOOKS_A_LAUNCH - 1) await this.#launch();
      return false;
    });
  }

  /**
   * Does something, and waits until the client has told one of these events once more than before, or for a while: clocks
   * that leap do not wait for sockets.
   */
  async untilTells(events: readonly string[], act: () => unknown): Promise<void> {
    const before = this.#told(events);
    await act();
    for (let looks = 0; looks < TELLS_LOOKS && this.#told(events) <= before; looks += 1)
      await this.#trial.wait(LOOK_EVERY);
  }

  #told(events: readonly string[]): number {
    return this.#trial.events.filter(({ node, event }) => node === CLIENT && events.includes(event)).length;
  }

  /** All clocks alike, so that signatures stay good. */
  async leap(ms: number): Promise<void> {
    this.#leaptMs += ms;
    this.#trial.emit(CLOCK_LEAPT, { leapMs: ms });
    await Promise.all(
      this.#trial.nodes('*').map(({ name }) => this.#ask(name, 'POST', '/clock', { leapMs: ms })),
    );
  }

  /** The client is launched again, with these settings besides its own; its clock is where all the others are. */
  async launchClient(settings: Settings = {}): Promise<void> {
    await this.#launch(settings);
    await this.stands();
  }

  /** The same, when its seeds cannot be heard: it has no pool, nor one on disk. */
  async launchWithoutPool(): Promise<void> {
    await this.#launch({ cacheDir: '' });
  }

  /** Notes how many refreshes are asked for and waited for meanwhile. */
  async countingAwaited(act: () => Promise<unknown>): Promise<void> {
    const before = (await this.client()).pool.awaited;
    await act();
    this.note('refreshesAwaited', (await this.client()).pool.awaited - before);
  }

  async #launch(settings: Settings = {}): Promise<void> {
    const env = environmentOf(clientImage, { ...settings, startLeapMs: this.#leaptMs });
    await this.#trial.relaunch(CLIENT, env);
  }

  /** A storage node is launched again with these settings, as a node without messages. */
  async launchStorage(name: string, settings: Settings): Promise<void> {
    await this.#trial.relaunch(name, environmentOf(storageImage, settings));
    if (this.#leaptMs > 0) await this.#ask(name, 'POST', '/clock', { leapMs: this.#leaptMs });
    await this.stands();
  }

  /** The pool is past its first minute again. */
  async age(): Promise<void> {
    await this.leap(AGED_MS);
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

  /** Changes the list, and waits until every storage node goes by it but for those that cannot. */
  async epoch(change: Readonly<Record<string, unknown>>, but: readonly string[] = []): Promise<void> {
    const heights = (await this.storages()).map(({ height }) => height);
    this.#atNextOrder?.();
    this.#atNextOrder = undefined;
    await this.#ask(REGISTRY, 'POST', '/epoch', change);
    await this.#look('every storage node goes by the new list', async () =>
      (await this.storages()).every(
        ({ name, height, listsPending }, index) =>
          but.includes(name) || (height > (heights[index] ?? 0) && listsPending === 0),
      ),
    );
  }

  /** Begins something in the moment in which the next change of the list is ordered. @returns what it came to */
  atNextOrder<T>(begin: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#atNextOrder = () => void begin().then(resolve, reject);
    });
  }

  /** The account goes to another swarm than the one that it is in. */
  async moveAccount({ id }: Account): Promise<void> {
    const { swarm } = await this.swarmOf(id);
    await this.epoch({ change: 'move', account: id, to: swarm === '1' ? '2' : '1' });
  }

  /** For measures: from here on, retries for the account are held against who is in its swarm now. */
  async noteSwarm({ id }: Account): Promise<void> {
    const { members } = await this.swarmOf(id);
    this.#trial.emit(SWARM_NOTED, { account: id, members });
  }

  /** Nodes answer as the storm says; all storage nodes unless `on` names some. */
  async storm(spec: Readonly<Record<string, unknown>>, on?: readonly string[]): Promise<void> {
    const names = on ?? this.#trial.nodes('storage').map(({ name }) => name);
    await Promise.all(names.map((name) => this.#ask(name, 'POST', '/storm', spec)));
  }

  /** Requests that the storm of one node has answered. */
  async stormAnswers(name: string): Promise<number> {
    return (await this.#ask<StorageState>(name, 'GET', '/state')).storm.answered;
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

  async command(path: '/suspend' | '/resume' | '/close' | '/poll' | '/pause' | '/start'): Promise<void> {
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

  /**
   * What was sent has ended by itself, or is noted as under way; a minute later, which is more than five times what a request
   * may take as a rule, the client has told of each that it forgot.
   */
  async untilForgotten(): Promise<void> {
    let underWay = await this.#underWay();
    for (let looks = 0; looks < TELLS_LOOKS && underWay > 0; looks += 1) {
      await this.#trial.wait(LOOK_EVERY);
      underWay = await this.#underWay();
    }
    this.note('underWay', underWay);
    await this.leap(MINUTE_MS);
  }

  async #underWay(): Promise<number> {
    const { requests, answered, failed } = (await this.client()).requests;
    return requests - answered - failed;
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

  /** Notes how many nodes have strikes that count. */
  async noteStruck(name: 'struckNodes' | 'struckLater' = 'struckNodes'): Promise<void> {
    this.note(name, Object.keys((await this.client()).pool.strikes).length);
  }

  /** Fetches the list whatever the pool is like. */
  async refresh(): Promise<void> {
    await this.post('/refresh', {}, {});
  }

  /** Asks for so many random nodes. @returns how many there were; nothing when nobody answered */
  async askForRandomNodes(count: number): Promise<number | undefined> {
    const answer = await this.post<{ readonly count: number } | undefined>(
      '/random-nodes',
      { count },
      undefined,
    );
    return answer?.count;
  }

  /** Asks for so many random nodes, and notes how many there were. */
  async randomNodes(count: number): Promise<void> {
    const had = await this.askForRandomNodes(count);
    this.note('hanging', had === undefined ? 1 : 0);
    this.note('randomNodes', had ?? 0);
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

  /** A batch or sequence of stores for these accounts, sent to the swarm of the first of them or of `to`. */
  async sendBatch(
    parts: readonly (Account | undefined)[],
    to = parts[0],
    method: 'batch' | 'sequence' = 'batch',
  ): Promise<Answer> {
    const requests = parts.map((part) => this.storePart(part));
    const answer = await this.send({
      method,
      ...(to && { account: to.id }),
      params: { requests },
    });
    this.noteAnswers([answer]);
    return answer;
  }

  /** What each storage node answered since it began: by account, and by whoever asked. */
  async counts(): Promise<readonly Counts[string][]> {
    const nodes = this.#trial.nodes('storage');
    return await Promise.all(
      nodes.map(async ({ name }) => (await this.#ask<Counts>(name, 'GET', '/counts'))[name] ?? {}),
    );
  }

  /** How many requests each storage node was asked for the account so far, in the order of the nodes. */
  async askedFor({ id }: Account): Promise<readonly number[]> {
    return (await this.counts()).map(({ accounts }) =>
      Object.values(accounts?.[id] ?? {}).reduce((sum, count) => sum + count, 0),
    );
  }

  /** How many requests for the account these nodes together were asked so far. */
  async askedAt(names: readonly string[], account: Account): Promise<number> {
    const asked = await this.askedFor(account);
    return this.#trial
      .nodes('storage')
      .reduce((sum, { name }, index) => sum + (names.includes(name) ? (asked[index] ?? 0) : 0), 0);
  }

  /** Hashes that each member has of the account, once each has as many different ones as that and no other, or after a while. */
  async heldBy(
    members: readonly string[],
    account: Account,
    count: number,
  ): Promise<readonly (readonly string[])[]> {
    const differs = (hashes: readonly string[]): boolean =>
      hashes.length !== count || new Set(hashes).size !== count;
    let held = await this.hashesAt(members, account);
    for (let looks = 0; looks < HAND_OVER_LOOKS && held.some(differs); looks += 1) {
      await this.#trial.wait(LOOK_EVERY);
      held = await this.hashesAt(members, account);
    }
    return held;
  }

  /** Until it is so, for as long as states are looked at. */
  async holds(what: string, is: () => Promise<boolean>): Promise<void> {
    await this.#look(what, is);
  }

  /** Hashes that each of these nodes has of the account now. */
  async hashesAt(members: readonly string[], { id }: Account): Promise<readonly (readonly string[])[]> {
    return await Promise.all(
      members.map(async (name) => {
        const body = { account: id };
        const { hashes } = await this.#ask<Hashes>(name, 'POST', '/messages', body);
        return hashes;
      }),
    );
  }

  /** Until no refresh is under way. */
  async settles(): Promise<void> {
    await this.#look('no refresh is under way', async () => (await this.client()).pool.refreshing === null);
  }

  async #look(what: string, holds: (looks: number) => Promise<boolean>): Promise<void> {
    for (let looks = 0; !(await holds(looks)); looks += 1) {
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
