import { type AgentContext, inBackground } from './agent-context.ts';
import { AgentError, failureOf, isHostError, isTemporary } from './agent-error.ts';
import type { ConnectionRecord, OwnQueueRecord } from './connection-record.ts';
import { newBoxKey, newSigningKey } from './keys.ts';
import { persist } from './persist.ts';
import { BACKGROUND, commandWaitMs, type RequestMode } from './request-mode.ts';
import { RetryPauses } from './retry-interval.ts';
import type { ServerClient } from './server-client.ts';
import type { Server } from './wire.ts';

/** The agent's own queues: made, subscribed again whenever their server's connection was lost, and emptied by ACK. */
export class OwnQueues {
  readonly #context: AgentContext;
  readonly #subscribing = new Set<string>();

  constructor(context: AgentContext) {
    this.#context = context;
  }

  /** A new queue, subscribed. @throws AgentError */
  async create(connection: ConnectionRecord, server: Server, mode: RequestMode): Promise<OwnQueueRecord> {
    const { clients, rules, store, signal } = this.#context;
    const client = await clients.get(server, mode);
    const [recipient, delivery, box] = [newSigningKey(), newBoxKey(), newBoxKey()];
    const keys = { recipientKey: recipient.privateKey, deliveryKey: delivery.privateKey };
    const queue = await client.ask((wire) => wire.createQueue(keys, commandWaitMs(rules.waits, mode)));
    signal.throwIfAborted();
    const own: OwnQueueRecord = {
      server: server.name,
      queue,
      boxKey: box.privateKey,
      boxPublicKey: box.publicKey,
      secured: false,
    };
    connection.own = own;
    client.subscribed.add(queue.recipientId);
    store.record.addresses[server.name] = server.address;
    store.save();
    return own;
  }

  /** Subscribes to every queue of that server that is not, now and with growing pauses until all are. */
  subscribe(server: string): void {
    if (this.#subscribing.has(server) || this.#missing(server).length === 0) return;
    this.#subscribing.add(server);
    const { clock, rules, signal } = this.#context;
    inBackground(this.#context, async () => {
      const pauses = new RetryPauses(rules.reconnect);
      for (;;) {
        await this.#subscribeMissing(server);
        if (this.#missing(server).length === 0) break;
        await clock.sleep(pauses.nextMs(), signal);
      }
      this.#subscribing.delete(server);
    });
  }

  /** KEY, until it is done: from then on only the other side can send. @throws AgentError when the server refuses */
  async secure(own: OwnQueueRecord): Promise<void> {
    const { secureWith } = own;
    if (own.secured || secureWith === undefined) return;
    await this.#persist(own, (client, waitMs) =>
      client.ask((wire) => wire.secure(own.queue, secureWith, waitMs)),
    );
    own.secured = true;
    this.#context.store.save();
  }

  /** ACK, until it is done. When it never is, the message comes again with the next subscription. */
  acknowledge(own: OwnQueueRecord, messageId: string): void {
    inBackground(this.#context, async () => {
      try {
        await this.#persist(own, (client, waitMs) =>
          client.ask((wire) => wire.acknowledge(own.queue, messageId, waitMs)),
        );
      } catch (error) {
        if (!(error instanceof AgentError)) throw error;
        // NO_MSG: an earlier attempt had arrived. Anything else is worth a line.
        this.#context.log(`ACK of ${messageId}: ${error.message}`);
      }
    });
  }

  /** The connection that a queue of ours belongs to. */
  find(server: string, recipientId: string): ConnectionRecord | undefined {
    return this.#context.store.record.connections.find(
      ({ own }) => own?.server === server && own.queue.recipientId === recipientId,
    );
  }

  async #subscribeMissing(server: string): Promise<void> {
    const { clients, rules, book, signal } = this.#context;
    try {
      const client = await clients.get(book.named(server), BACKGROUND);
      for (const { queue } of this.#missing(server)) {
        await client.ask((wire) => wire.subscribe(queue, commandWaitMs(rules.waits, BACKGROUND)));
        signal.throwIfAborted();
        client.subscribed.add(queue.recipientId);
      }
    } catch (error) {
      signal.throwIfAborted();
      const failure = failureOf(error);
      if (!isTemporary(failure) && !isHostError(failure))
        this.#context.log(`SUB at ${server}: ${String(error)}`);
    }
  }

  #missing(server: string): readonly OwnQueueRecord[] {
    const { clients, store } = this.#context;
    const subscribed = clients.find(server)?.subscribed;
    return store.record.connections.flatMap(({ own }) =>
      own?.server === server && !subscribed?.has(own.queue.recipientId) ? [own] : [],
    );
  }

  #persist(
    own: OwnQueueRecord,
    operate: (client: ServerClient, waitMs: number) => Promise<void>,
  ): Promise<void> {
    const { clients, rules, book } = this.#context;
    return persist(this.#context, async () => {
      const client = await clients.get(book.named(own.server), BACKGROUND);
      await operate(client, commandWaitMs(rules.waits, BACKGROUND));
    });
  }
}
