import { SquallError } from '../../harness/errors/index.ts';
import type { SeededStream } from '../../harness/random/index.ts';
import { type AgentContext, inBackground } from './agent-context.ts';
import { alertOf, describeFailure, type Failure, failureOf } from './agent-error.ts';
import type { ConnectionRecord } from './connection-record.ts';
import { newPeerKeys } from './handshake.ts';
import { isBoxKey } from './keys.ts';
import { encodeLink, parseLink } from './link.ts';
import type { Outbox, SealItem } from './outbox.ts';
import type { OwnQueues } from './own-queues.ts';
import { persist } from './persist.ts';
import { pickProxy } from './pick-proxy.ts';
import { BACKGROUND, interactive, type RequestMode } from './request-mode.ts';

export interface JoinParts {
  readonly context: AgentContext;
  readonly queues: OwnQueues;
  readonly outbox: Outbox;
  readonly seal: SealItem;
  /** Draws the message server of a new queue. */
  readonly chance: SeededStream;
}

/** Makes links, and joins them: in the background, or as a user does who looks at the screen and taps Retry. */
export class Joining {
  readonly #parts: JoinParts;
  readonly #trying = new Set<string>();

  constructor(parts: JoinParts) {
    this.#parts = parts;
  }

  /** A queue for somebody to join. @throws AgentError when the server does not give one */
  async link(): Promise<{ readonly link: string; readonly connection: string }> {
    const { context, queues } = this.#parts;
    const connection = this.#newConnection({ side: 'holder', status: 'invited', interactive: true });
    const server = this.#pickServer();
    const own = await queues.create(connection, server, interactive(0));
    context.store.record.connections.push(connection);
    context.store.save();
    const { senderId } = own.queue;
    const link = encodeLink({
      serverName: server.name,
      server: server.address,
      senderId,
      boxKey: own.boxPublicKey,
    });
    context.emit('link.created', { connection: connection.id, server: server.name });
    return { link, connection: connection.id };
  }

  /** Begins to join; the first attempt is under way when this returns. @throws SquallError `bad-link`, `no-servers` (input) */
  join(text: string, isInteractive: boolean): string {
    const { context } = this.#parts;
    const { serverName, server: address, senderId, boxKey } = parseLink(text);
    if (!isBoxKey(boxKey)) {
      throw new SquallError('link: its key is none; expected an X25519 key in base64url', {
        code: 'bad-link',
        blame: 'input',
      });
    }
    // In the background it would be a fault of the program.
    if (context.book.servers.length === 0) throw noServers();
    const server = context.book.learn(address, serverName);
    const connection = this.#newConnection({
      side: 'joiner',
      status: 'joining',
      interactive: isInteractive,
      link: text,
      peer: { server: server.name, senderId, boxKey, ...newPeerKeys() },
      sinceWallMs: context.clock.wallMs(),
    });
    context.store.record.addresses[server.name] = server.address;
    context.store.record.connections.push(connection);
    context.store.save();
    this.resume(connection);
    return connection.id;
  }

  /** Another attempt. @throws SquallError `nothing-to-retry` (input) */
  retry(connection: ConnectionRecord): void {
    if (!isRetriable(connection) || this.#trying.has(connection.id)) {
      throw new SquallError(
        `connection ${connection.id}: is ${connection.status}; expected an interactive join that failed`,
        { code: 'nothing-to-retry', blame: 'input' },
      );
    }
    connection.retries += 1;
    this.#parts.context.emit('retry.tapped', { connection: connection.id, attempt: connection.attempts + 1 });
    this.#attempt(connection, interactive(connection.retries));
  }

  /** The first attempt of a join, or after a restart the background one's next; an interactive one waits for Retry. */
  resume(connection: ConnectionRecord): void {
    if (connection.side !== 'joiner' || connection.status !== 'joining') return;
    if (!connection.interactive) this.#inBackground(connection);
    else if (connection.attempts === 0) this.#attempt(connection, interactive(0));
  }

  #attempt(connection: ConnectionRecord, mode: RequestMode): void {
    const { context } = this.#parts;
    const { id } = connection;
    this.#trying.add(id);
    inBackground(context, async () => {
      const failure = await this.#tried(connection, mode);
      this.#trying.delete(id);
      if (!failure) return;
      const error = describeFailure(failure);
      // The other side may have answered an attempt of which this side heard nothing: then all is well.
      if (isRetriable(connection)) connection.lastError = error;
      context.store.save();
      const alert = alertOf(failure);
      context.emit('join.failed', { connection: id, attempt: connection.attempts, error, alert });
      await this.#tapRetry(connection);
    });
  }

  /** What a user does who taps Retry after each error. */
  async #tapRetry(connection: ConnectionRecord): Promise<void> {
    const { clock, rules, signal } = this.#parts.context;
    if (connection.retries >= rules.retries) return;
    await clock.sleep(rules.retryOnErrorMs, signal);
    if (isRetriable(connection) && !this.#trying.has(connection.id)) this.retry(connection);
  }

  async #tried(connection: ConnectionRecord, mode: RequestMode): Promise<Failure | undefined> {
    const { context, seal } = this.#parts;
    this.#begin(connection);
    try {
      await this.#replyQueue(connection, mode);
      const { peer } = connection;
      if (!peer) throw new Error(`connection ${connection.id}: joins without a queue to send to`);
      const item = { kind: 'confirmation', sinceWallMs: context.clock.wallMs() } as const;
      await context.send(context.book.named(peer.server), seal(connection, item), mode);
      context.signal.throwIfAborted();
      if (connection.status === 'joining') connection.status = 'confirmed';
      context.store.save();
      return undefined;
    } catch (error) {
      context.signal.throwIfAborted();
      return failureOf(error);
    }
  }

  /** A join that nobody waits for: the queue with retries, then the confirmation from the outbox. */
  #inBackground(connection: ConnectionRecord): void {
    const { context, outbox } = this.#parts;
    this.#begin(connection);
    inBackground(context, async () => {
      await persist(context, () => this.#replyQueue(connection, BACKGROUND));
      if (connection.outbox.length === 0) outbox.add(connection, { kind: 'confirmation' });
    });
  }

  #begin(connection: ConnectionRecord): void {
    connection.attempts += 1;
    const { id, attempts, interactive: isInteractive, peer } = connection;
    this.#parts.context.emit('join.started', {
      connection: id,
      interactive: isInteractive,
      attempt: attempts,
      destination: peer?.server,
    });
  }

  async #replyQueue(connection: ConnectionRecord, mode: RequestMode): Promise<void> {
    if (connection.own) return;
    await this.#parts.queues.create(connection, this.#pickServer(connection.peer?.server), mode);
  }

  /** One of the agent's own servers, another than the other side's where there is one. */
  #pickServer(avoid?: string) {
    const { context, chance } = this.#parts;
    const { servers } = context.book;
    const host = avoid === undefined ? '' : context.book.named(avoid).host;
    const pick = pickProxy(chance, servers, { host });
    if (pick) return pick.picked;
    throw noServers();
  }

  #newConnection(
    facts: Pick<ConnectionRecord, 'side' | 'status' | 'interactive'> & Partial<ConnectionRecord>,
  ): ConnectionRecord {
    const { record } = this.#parts.context.store;
    record.lastConnection += 1;
    return {
      id: `c${record.lastConnection}`,
      attempts: 0,
      retries: 0,
      sentPlaces: 0,
      receivedPlaces: 0,
      outbox: [],
      ...facts,
    };
  }
}

function noServers(): SquallError {
  return new SquallError(
    'agent: has no message server; expected at least one in SQUALL_SERVERS or POST /servers',
    {
      code: 'no-servers',
      blame: 'input',
    },
  );
}

function isRetriable({ side, status, interactive: isInteractive }: ConnectionRecord): boolean {
  return side === 'joiner' && isInteractive && status === 'joining';
}
