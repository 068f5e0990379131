import type { Clock, Timer } from '../../harness/clock/index.ts';
import {
  type AnswerFacts,
  createNodeListener,
  formatSwarmId,
  type HttpAnswer,
  type ListenerRequest,
  type NetworkList,
  type NodeIdentity,
  type NodeListener,
  type NodeTarget,
  NodeTransport,
  nodeIdentity,
  PATH,
  PING_HEADER,
  parseRpcBody,
  WireError,
} from '../session-kit/index.ts';
import type { Carrier } from './account-handler.ts';
import { type Answered, Counts } from './counts.ts';
import { type Caller, Dispatch } from './dispatch.ts';
import { parseBatch } from './message-batch.ts';
import { MessageStore } from './message-store.ts';
import { NetworkView } from './network-view.ts';
import { senderOf } from './node-signature.ts';
import { OnionRequests } from './onion-requests.ts';
import { postToServer } from './post-to-server.ts';
import { RateLimit } from './rate-limit.ts';
import { RegistryPoll } from './registry-poll.ts';
import { Replication } from './replication.ts';
import { httpAnswer } from './rpc-answer.ts';
import type { StorageRules } from './storage-rules.ts';
import { Storm } from './storm.ts';

export interface StorageNodeOptions {
  readonly clock: Clock;
  readonly seed: string;
  /** Whose keys it has. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly registry: NodeTarget;
  readonly rules: StorageRules;
  readonly emit: (event: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly log: (text: string) => void;
}

/** What has expired is not given to anybody; this only makes room. Seldom, so that a clock may leap by days. */
const EXPIRE_EVERY_MS = 600_000;

/** A storage server: one identity, one port, its messages, its view of the network. */
export class StorageNode {
  readonly identity: NodeIdentity;
  readonly storm: Storm;
  readonly view: NetworkView;
  readonly store: MessageStore;
  readonly counts = new Counts();
  readonly #options: StorageNodeOptions;
  readonly #ending = new AbortController();
  readonly #transport: NodeTransport;
  readonly #replication: Replication;
  readonly #poll: RegistryPoll;
  readonly #dispatch: Dispatch;
  readonly #onion: OnionRequests;
  readonly #clientLimit: RateLimit;
  readonly #nodeLimit: RateLimit;
  readonly #relayed: Record<string, number> = {};
  readonly #pingHeaders: Readonly<Record<string, string>>;
  #listener: NodeListener | undefined;
  #telling: Timer | undefined;
  #countedBytes = { received: 0, sent: 0 };

  constructor(options: StorageNodeOptions) {
    const { clock, seed, name, host, rules } = options;
    const { signal } = this.#ending;
    this.#options = options;
    this.identity = nodeIdentity(seed, name);
    const own = this.identity.ed25519;
    this.#pingHeaders = { [PING_HEADER]: Buffer.from(this.identity.legacy, 'hex').toString('base64') };
    this.view = new NetworkView(own);
    this.store = new MessageStore(() => this.#wallMs(), rules.storeMaxBytes);
    this.#transport = new NodeTransport({
      clock,
      handshakeTimeoutMs: rules.handshakeTimeoutMs,
      localAddress: host,
    });
    const facts = (): AnswerFacts => ({ wallMs: this.#wallMs(), hardfork: this.view.hardfork });
    const shared = { clock, view: this.view, own, facts };
    this.storm = new Storm({
      ...shared,
      ownEcho: rules.echoPubkey,
      onChange: (spec) => options.emit(spec ? 'storm.began' : 'storm.ended', { as: name, ...spec }),
    });
    this.#replication = new Replication({
      clock,
      identity: this.identity,
      transport: this.#transport,
      view: this.view,
      store: this.store,
      rules,
      nowWallMs: () => this.#wallMs(),
      emit: options.emit,
      signal,
    });
    this.#poll = new RegistryPoll({
      clock,
      transport: this.#transport,
      registry: options.registry,
      retryMs: rules.registryRetryMs,
      lagMs: rules.lagMs,
      onList: (list) => this.#takeList(list),
      onTrouble: options.log,
      signal,
    });
    this.#dispatch = new Dispatch({
      ...shared,
      version: rules.version,
      echo: rules.echoPubkey,
      storm: this.storm,
      carrier: (forwarded) => this.#carrier(forwarded),
      distribute: (request, account) => this.#replication.distribute(request, account),
      count: (answered) => this.#count(answered),
    });
    this.#onion = new OnionRequests({
      ...shared,
      identity: this.identity,
      storm: this.storm,
      dispatch: this.#dispatch,
      transport: this.#transport,
      relayTimeoutMs: rules.relayTimeoutMs,
      signal,
      onRelayed: (status) => {
        this.#relayed[status] = (this.#relayed[status] ?? 0) + 1;
      },
      post: (layer, limits) => postToServer(clock, layer, limits),
    });
    const limits = { clock, bucket: rules.rateBucket, callersMax: 10_000 };
    this.#clientLimit = new RateLimit({ ...limits, perSecond: rules.ratePerSecond });
    this.#nodeLimit = new RateLimit({ ...limits, perSecond: rules.ratePerSecondNodes });
  }

  get port(): number {
    return this.#listener?.port ?? 0;
  }

  /** Listens, then learns the network; answers 503 until it has. */
  async start(): Promise<void> {
    const { clock, host, port, log } = this.#options;
    this.#listener = await createNodeListener({
      host,
      port,
      identity: this.identity,
      onRequest: (request) => this.answer(request),
      onClosed: (connection) => this.storm.forget(connection),
      onTrouble: log,
    });
    const expiring = clock.every(EXPIRE_EVERY_MS, () => this.store.expire());
    this.#ending.signal.addEventListener('abort', () => {
      expiring.cancel();
      this.#telling?.cancel();
    });
    await this.#poll.start();
  }

  async stop(): Promise<void> {
    this.#ending.abort(new Error('the node is to end'));
    this.storm.end();
    this.#transport.close();
    await this.#listener?.close();
  }

  state(): Readonly<Record<string, unknown>> {
    const { swarmId, list } = this.view;
    return {
      name: this.identity.name,
      ed25519: this.identity.ed25519,
      port: this.port,
      swarm: list?.labels.get(swarmId) ?? 'none',
      swarmId: formatSwarmId(swarmId),
      members: this.view.peers().length + 1,
      nodes: list?.nodes.length ?? 0,
      height: list?.height ?? 0,
      listsPending: this.#poll.pending,
      messages: this.store.count,
      storedBytes: this.store.sizeBytes,
      handOver: this.#replication.state(),
      ...this.counts.summary(),
      // What a person sees of a node in one line: answers by status, and what there is.
      counts: {
        ...this.counts.summary().statuses,
        messages: this.store.count,
        swarm: Number(list?.labels.get(swarmId) ?? 0),
      },
      relayed: { ...this.#relayed },
      bytes: this.bytes(),
      connections: this.#listener?.connections ?? 0,
      storm: this.stormState(),
    };
  }

  bytes(): { readonly received: number; readonly sent: number } {
    return this.#listener?.bytes() ?? { received: 0, sent: 0 };
  }

  stormState() {
    const { on, answered, stuck, spec } = this.storm;
    return { on, answered, stuck, ...(spec ? { redirect: spec.redirect, ratio: spec.ratio } : {}) };
  }

  /** Answers a request as the listener does; public so that it can be asked without one. */
  async answer(request: ListenerRequest): Promise<HttpAnswer> {
    const { method, path, from, connection, body } = request;
    if (method === 'GET' && path === PATH.stats) return { status: 200, json: this.counts.summary() };
    if (method !== 'POST') return { status: 404, text: 'Not Found' };
    if (path === PATH.swarmCommand || path === PATH.swarmData) return this.#answerNode(request);
    if (path === PATH.ping) return { status: 200, text: '', headers: this.#pingHeaders };
    if (path !== PATH.rpc && path !== PATH.onion) return { status: 404, text: 'Not Found' };
    if (!this.#mayAsk(from)) {
      this.#count({ method: 'limited', status: 429, account: '', client: from, listBytes: 0 });
      return { status: 429, text: 'Too many requests' };
    }
    if (!this.view.list) return { status: 503, text: `Snode not ready: ${this.identity.ed25519}` };
    const caller: Caller = { client: from, connection, place: 'direct' };
    if (path === PATH.onion) return this.#onion.answer(body, caller);
    return httpAnswer(await this.#dispatch.answer(() => parseRpcBody(body), caller));
  }

  #mayAsk(from: string): boolean {
    if (this.view.isNodeAddress(from)) return this.#nodeLimit.take(from);
    return this.#clientLimit.take(this.#options.rules.limitEachClient ? from : 'clients');
  }

  /** What only nodes of the network may ask. */
  #answerNode(request: ListenerRequest): HttpAnswer {
    const hearsLeavers = this.#options.rules.hearLeavers && request.path === PATH.swarmData;
    const sender = senderOf(
      request,
      this.identity.ed25519,
      (key) => this.view.find(key) ?? (hearsLeavers ? this.view.findFormer(key) : undefined),
    );
    if (!sender) return { status: 403, text: 'not a node of the network' };
    try {
      if (request.path === PATH.swarmCommand) {
        return httpAnswer(this.#dispatch.answerForwarded(parseRpcBody(request.body), request.from));
      }
      const messages = parseBatch(request.body);
      for (const message of messages)
        this.store.put(message, { keepsCopies: !this.#options.rules.dropCopies });
      return { status: 200, json: { messages: messages.length } };
    } catch (error) {
      if (error instanceof WireError) return { status: 400, text: `${error.code}: ${error.message}` };
      throw error;
    }
  }

  #takeList(list: NetworkList): void {
    const change = this.view.apply(list);
    const { swarmId, moved, dissolved, joined, newSwarms } = change;
    this.#options.emit('view.changed', {
      as: this.identity.name,
      height: list.height,
      swarm: list.labels.get(swarmId) ?? 'none',
      moved,
      dissolved,
      joined: joined.length,
      newSwarms: newSwarms.length,
    });
    this.#replication.takeChange(change);
  }

  #carrier(forwarded: boolean): Carrier {
    return {
      store: this.store,
      nowMs: this.#wallMs(),
      forwarded,
      sign: (text) => Buffer.from(this.identity.sign(text)).toString('base64'),
      stored: (hash, { account, namespace }) => {
        if (!this.#options.rules.tellMessages) return;
        const { name } = this.identity;
        this.#options.emit('message.stored', { as: name, hash, account: account.id, namespace, forwarded });
      },
    };
  }

  #count(answered: Answered): void {
    this.counts.count(answered);
    const { clock, rules } = this.#options;
    this.#telling ??= clock.after(rules.countEveryMs, () => this.#tellCounts());
    if (rules.tellAnswers) this.#options.emit('request.answered', { ...answered });
  }

  /** A line a second at most, whatever the load, and none while nothing is asked. */
  #tellCounts(): void {
    this.#telling = undefined;
    const recent = this.counts.takeRecent();
    if (!recent) return;
    const { received, sent } = this.bytes();
    this.#options.emit('requests.counted', {
      as: this.identity.name,
      ...recent,
      receivedBytes: received - this.#countedBytes.received,
      sentBytes: sent - this.#countedBytes.sent,
    });
    this.#countedBytes = { received, sent };
  }

  #wallMs(): number {
    return Math.round(this.#options.clock.wallMs()) + this.#options.rules.clockOffsetMs;
  }
}
