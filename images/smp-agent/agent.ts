import type { Clock } from '../../harness/clock/index.ts';
import { SquallError } from '../../harness/errors/index.ts';
import type { SeededStream } from '../../harness/random/index.ts';
import { type AgentContext, type AgentRules, findConnection } from './agent-context.ts';
import type { AgentStore } from './agent-store.ts';
import { agentSummary } from './agent-summary.ts';
import type { ChoiceRules } from './choice-rules.ts';
import type { ConnectionRecord } from './connection-record.ts';
import { DestinationTrouble } from './destination-trouble.ts';
import { sealItem } from './envelope.ts';
import { Forwarder } from './forwarder.ts';
import { Handshake } from './handshake.ts';
import { Inbox } from './inbox.ts';
import { Joining } from './join.ts';
import type { MessageHistory } from './message-history.ts';
import { Outbox, type SealItem } from './outbox.ts';
import { OwnQueues } from './own-queues.ts';
import { pickProxy, pickStream } from './pick-proxy.ts';
import { ProxyChoices } from './proxy-choices.ts';
import { ProxyExposure } from './proxy-exposure.ts';
import { commandWaitMs, type RequestMode } from './request-mode.ts';
import { type ReadAddress, ServerBook } from './server-book.ts';
import type { ServerClient } from './server-client.ts';
import { ServerClients } from './server-clients.ts';
import type { SendRequest, Server, Wire } from './wire.ts';

export interface AgentOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly rules: AgentRules;
  readonly choiceRules: ChoiceRules;
  readonly store: AgentStore;
  readonly history: MessageHistory;
  readonly wire: Wire;
  readonly readAddress: ReadAddress;
  /** Chance of the proxies, and of the servers of new queues. */
  readonly proxyChance: SeededStream;
  readonly serverChance: SeededStream;
  readonly emit: (event: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly log: (text: string) => void;
}

/**
 * One life of the agent, from start to end. What it remembers besides the store (choices, streaks, connections to servers,
 * waits) goes with it, as with the real agent.
 */
export class Agent {
  readonly #context: AgentContext;
  readonly #ending = new AbortController();
  readonly #choices: ProxyChoices;
  readonly #forwarder: Forwarder;
  readonly #exposure: ProxyExposure;
  readonly #trouble: DestinationTrouble;
  readonly #queues: OwnQueues;
  readonly #outbox: Outbox;
  readonly #handshake: Handshake;
  readonly #inbox: Inbox;
  readonly #joining: Joining;
  readonly #proxyFailureIntervalMs: number;

  constructor(options: AgentOptions) {
    const { clock, choiceRules, store, proxyChance, name } = options;
    const { signal } = this.#ending;
    const emit: AgentContext['emit'] = (event, fields) => {
      if (!signal.aborted) options.emit(event, fields);
    };
    const book = bookOf(options.readAddress, store);
    const clients = new ServerClients(
      options.wire,
      clock,
      { connect: options.rules.waits.connect, persistErrorIntervalMs: options.rules.persistErrorIntervalMs },
      {
        connected: ({ server }) => emit('server.connected', { server: server.name }),
        delivered: (client, recipientId, delivery) => this.#inbox.delivered(client, recipientId, delivery),
        disconnected: (client, reason) => this.#disconnected(client, reason),
      },
    );
    const streams = new Map<string, SeededStream>();
    const streamOf = (destination: string): SeededStream => {
      const stream = streams.get(destination) ?? pickStream(proxyChance, destination);
      streams.set(destination, stream);
      return stream;
    };
    this.#proxyFailureIntervalMs = choiceRules.proxyFailureIntervalMs;
    this.#exposure = new ProxyExposure(emit);
    this.#trouble = new DestinationTrouble(() => clock.nowMs());
    this.#choices = new ProxyChoices(
      choiceRules,
      () => clock.nowMs(),
      (destination, leftOut) => {
        const pick = pickProxy(streamOf(destination), book.proxies, book.named(destination), leftOut);
        if (pick) return { proxy: pick.picked.name, of: pick.of };
        throw new SquallError(
          'agent: has no proxy to pick; expected one in SQUALL_PROXIES or SQUALL_SERVERS',
          {
            code: 'no-proxies',
            blame: 'input',
          },
        );
      },
      emit,
    );
    this.#forwarder = new Forwarder({
      clock,
      waits: options.rules.waits,
      clients,
      choices: this.#choices,
      exposure: this.#exposure,
      trouble: this.#trouble,
      serverNamed: (server) => book.named(server),
      removeDeadSession: choiceRules.removeDeadSession,
      keepOnHostError: choiceRules.keepOnHostError,
      emit,
    });
    const { rules, history } = options;
    this.#context = {
      name,
      clock,
      rules,
      store,
      book,
      clients,
      history,
      signal,
      emit,
      log: options.log,
      send: (destination, request, mode) => this.#send(destination, request, mode),
    };
    const seal: SealItem = (connection, item) =>
      sealItem(name, connection, item, replyAddress(book, connection));
    this.#queues = new OwnQueues(this.#context);
    this.#outbox = new Outbox(this.#context, seal, (connection, item) =>
      this.#handshake.taken(connection, item),
    );
    this.#handshake = new Handshake(this.#context, this.#queues, this.#outbox);
    this.#inbox = new Inbox(this.#context, this.#queues, this.#handshake);
    this.#joining = new Joining({
      context: this.#context,
      queues: this.#queues,
      outbox: this.#outbox,
      seal,
      chance: options.serverChance,
    });
  }

  /** Goes on with what the store has: subscribes, sends what waits, joins what nobody waits for. */
  start(): void {
    const { connections } = this.#context.store.record;
    for (const server of new Set(connections.flatMap(({ own }) => own?.server ?? []))) {
      this.#queues.subscribe(server);
    }
    for (const connection of connections) {
      this.#handshake.resume(connection);
      this.#joining.resume(connection);
    }
  }

  link(): Promise<{ readonly link: string; readonly connection: string }> {
    return this.#joining.link();
  }

  join(link: string, isInteractive: boolean): string {
    return this.#joining.join(link, isInteractive);
  }

  retry(id: string): void {
    this.#joining.retry(this.#require(id));
  }

  /** Changes the configured servers; what is remembered about any of them stays. */
  configure(servers: readonly string[], proxies: readonly string[]): void {
    const { book, store, emit } = this.#context;
    book.configure(servers, proxies);
    store.record.servers = servers;
    store.record.proxies = proxies;
    store.save();
    const names = (list: readonly Server[]): string[] => list.map(({ name }) => name);
    emit('servers.configured', { servers: names(book.servers), proxies: names(book.proxies) });
  }

  /** Messages for the other side, into the outbox. @returns their ids */
  send(id: string, count: number): readonly string[] {
    const connection = this.#require(id);
    const { peer, peerName } = connection;
    if (connection.status !== 'established' || !peer) {
      throw new SquallError(
        `connection ${id}: is ${connection.status}; expected an established one to send in`,
        {
          code: 'not-established',
          blame: 'input',
        },
      );
    }
    return Array.from({ length: count }, () => {
      const message = this.#context.history.invoke(id, peerName ?? '', peer.server);
      connection.sentPlaces += 1;
      this.#outbox.add(connection, { kind: 'message', message, place: connection.sentPlaces });
      return message;
    });
  }

  state(): Readonly<Record<string, unknown>> {
    const { store, book, clients } = this.#context;
    const { life, connections } = store.record;
    const stuck = this.#trouble.stuck(this.#proxyFailureIntervalMs);
    return {
      summary: agentSummary(connections, stuck, this.#choices.all()),
      life,
      connections: connections.map((connection) => ({
        id: connection.id,
        side: connection.side,
        status: connection.status,
        with: connection.peerName ?? null,
        destination: connection.peer?.server ?? null,
        attempts: connection.attempts,
        retries: connection.retries,
        lastError: connection.lastError ?? null,
        outbox: connection.outbox.length,
        sent: connection.sentPlaces,
        received: connection.receivedPlaces,
      })),
      choices: this.#choices.all(),
      trouble: this.#trouble.all(),
      stuck,
      exposed: this.#exposure.all(),
      slots: this.#forwarder.underWay(),
      outbox: connections.reduce((sum, { outbox }) => sum + outbox.length, 0),
      servers: book.servers.map(({ name }) => name),
      proxies: book.proxies.map(({ name }) => name),
      clients: clients.all().map(({ server, connection, sessions, subscribed }) => ({
        server: server.name,
        sessions: [...sessions.keys()],
        subscribed: subscribed.size,
        ...connection.facts(),
      })),
    };
  }

  /** Ends this life: nothing is said or done any more. */
  end(): void {
    this.#ending.abort(new Error('the agent ended'));
    this.#context.clients.end();
  }

  async #send(destination: Server, request: SendRequest, mode: RequestMode): Promise<void> {
    const { rules, clients, book } = this.#context;
    const isOwn = book.servers.some(({ name }) => name === destination.name);
    const isDirect = rules.proxyMode === 'never' || (rules.proxyMode === 'unknown' && isOwn);
    if (!isDirect) {
      await this.#forwarder.send(destination, request, mode);
      return;
    }
    const client = await clients.get(destination, mode);
    await client.ask((wire) => wire.send(request, commandWaitMs(rules.waits, mode)));
  }

  #disconnected(client: ServerClient, reason: string): void {
    const proxy = client.server.name;
    this.#context.emit('server.disconnected', { server: proxy, reason });
    for (const destination of client.sessions.keys()) {
      this.#choices.apply({ kind: 'disconnected', proxy, destination });
    }
    this.#queues.subscribe(proxy);
  }

  #require(id: string): ConnectionRecord {
    const connection = findConnection(this.#context, id);
    if (connection) return connection;
    throw new SquallError(`connection ${JSON.stringify(id)}: is not known; expected one that /state lists`, {
      code: 'no-such-connection',
      blame: 'input',
    });
  }
}

/** The configured servers, and those that stored connections are with, under their old names. */
function bookOf(readAddress: ReadAddress, { record }: AgentStore): ServerBook {
  const book = new ServerBook(readAddress);
  book.configure(record.servers, record.proxies);
  for (const [name, address] of Object.entries(record.addresses)) book.learn(address, name);
  return book;
}

function replyAddress(book: ServerBook, { side, own }: ConnectionRecord) {
  if (side !== 'joiner' || !own) return undefined;
  const { name, address } = book.named(own.server);
  return { serverName: name, server: address };
}
