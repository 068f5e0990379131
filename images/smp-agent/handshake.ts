import { SquallError } from '../../harness/errors/index.ts';
import { type AgentContext, inBackground } from './agent-context.ts';
import { AgentError } from './agent-error.ts';
import type { AgentMessage } from './agent-message.ts';
import type { ConnectionRecord, OutboxItem } from './connection-record.ts';
import type { Opened } from './envelope.ts';
import { isBoxKey, newBoxKey, newSigningKey } from './keys.ts';
import type { Outbox } from './outbox.ts';
import type { OwnQueues } from './own-queues.ts';
import type { Server } from './wire.ts';

/**
 * How two agents become connected, and what becomes of their messages:
 *
 *   holder (of the link)                          joiner
 *      ◀──────────── confirmation, reply queue ──   (join.ts sends it)
 *   KEY; confirmation ────────────────────────▶
 *      ◀───────────────────────────── hello ──    KEY
 *   hello ────────────────────────────────────▶
 *   established when its hello is taken           established when the hello comes
 */
export class Handshake {
  readonly #context: AgentContext;
  readonly #queues: OwnQueues;
  readonly #outbox: Outbox;

  constructor(context: AgentContext, queues: OwnQueues, outbox: Outbox) {
    this.#context = context;
    this.#queues = queues;
    this.#outbox = outbox;
  }

  /** What came through the connection's own queue; everything of it is in the record when this returns. */
  came(connection: ConnectionRecord, { message, senderBoxKey }: Opened): void {
    // The first confirmation decides who the sender is; a later one may be anybody's.
    if (senderBoxKey !== undefined && connection.own) connection.own.senderBoxKey ??= senderBoxKey;
    if (message.kind === 'confirmation') this.#confirmed(connection, message);
    else if (message.kind === 'hello') this.#greeted(connection);
    else this.#received(connection, message);
    this.#context.store.save();
  }

  /** The relay has taken something of the outbox. */
  taken(connection: ConnectionRecord, item: OutboxItem): void {
    if (item.kind === 'confirmation' && connection.status === 'joining') connection.status = 'confirmed';
    if (item.kind === 'hello' && connection.side === 'holder') this.#establish(connection);
  }

  /** Goes on where the life before stopped. */
  resume(connection: ConnectionRecord): void {
    if (connection.own?.secureWith !== undefined && !connection.own.secured) this.#answer(connection);
    if (connection.outbox.length > 0) this.#outbox.run(connection);
  }

  #confirmed(connection: ConnectionRecord, message: AgentMessage & { kind: 'confirmation' }): void {
    const { own, side } = connection;
    if (!own || own.secureWith !== undefined) {
      this.#context.emit('confirmation.repeated', { connection: connection.id });
      return;
    }
    if (side === 'holder') {
      if (!message.reply) {
        this.#context.emit('message.rejected', { connection: connection.id, reason: 'no reply queue' });
        return;
      }
      const { serverName, server: address, senderId, boxKey } = message.reply;
      const server = this.#learnt(address, serverName);
      if (!server || !isBoxKey(boxKey)) {
        this.#context.emit('message.rejected', {
          connection: connection.id,
          reason: 'a reply queue that is none',
        });
        return;
      }
      this.#context.store.record.addresses[server.name] = server.address;
      connection.peer = { server: server.name, senderId, boxKey, ...newPeerKeys() };
      connection.sinceWallMs = this.#context.clock.wallMs();
    }
    connection.peerName = message.name;
    own.secureWith = message.senderKey;
    connection.status = 'answering';
    delete connection.lastError;
    this.#context.emit('confirmation.received', { connection: connection.id, from: message.name });
    this.#answer(connection);
  }

  /** KEY, and then what the other side waits for. */
  #answer(connection: ConnectionRecord): void {
    const { own, side } = connection;
    if (!own) return;
    inBackground(this.#context, async () => {
      try {
        await this.#queues.secure(own);
      } catch (error) {
        if (!(error instanceof AgentError)) throw error;
        connection.lastError = error.message;
        this.#context.emit('connection.failed', { connection: connection.id, error: error.message });
        return;
      }
      this.#outbox.add(connection, { kind: side === 'holder' ? 'confirmation' : 'hello' });
    });
  }

  /** A server that a stranger told of; undefined when it is none. */
  #learnt(address: string, name: string): Server | undefined {
    try {
      return this.#context.book.learn(address, name);
    } catch (error) {
      if (error instanceof SquallError && error.code === 'bad-server-address') return undefined;
      throw error;
    }
  }

  #greeted(connection: ConnectionRecord): void {
    if (connection.status !== 'answering') return;
    if (connection.side === 'joiner') this.#establish(connection);
    else if (!connection.outbox.some(({ kind }) => kind === 'hello')) {
      this.#outbox.add(connection, { kind: 'hello' });
    }
  }

  #establish(connection: ConnectionRecord): void {
    if (connection.status === 'established') return;
    connection.status = 'established';
    const { id, sinceWallMs, retries, peerName } = connection;
    const tookMs = this.#context.clock.wallMs() - (sinceWallMs ?? this.#context.clock.wallMs());
    this.#context.emit('connection.established', { connection: id, tookMs, retries, with: peerName });
  }

  /** A message that came before is a repetition: its sender never heard that it was taken. */
  #received(connection: ConnectionRecord, { message, place }: AgentMessage & { kind: 'message' }): void {
    const { id, own, receivedPlaces } = connection;
    if (own?.secureWith === undefined) {
      this.#context.emit('message.rejected', { connection: id, reason: 'a message before any confirmation' });
      return;
    }
    if (place <= receivedPlaces) {
      this.#context.emit('message.repeated', { connection: id, message, place });
      return;
    }
    if (place > receivedPlaces + 1) {
      this.#context.emit('message.skipped', { connection: id, from: receivedPlaces + 1, to: place - 1 });
    }
    connection.receivedPlaces = place;
    this.#context.history.received(message, id);
  }
}

/** The agent's keys for a queue of the other side. */
export function newPeerKeys(): { readonly ownBoxKey: string; readonly senderKey: string } {
  return { ownBoxKey: newBoxKey().privateKey, senderKey: newSigningKey().privateKey };
}
