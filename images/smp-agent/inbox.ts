import type { AgentContext } from './agent-context.ts';
import { openBody } from './envelope.ts';
import type { Handshake } from './handshake.ts';
import type { OwnQueues } from './own-queues.ts';
import type { ServerClient } from './server-client.ts';
import type { Delivery } from './wire.ts';

/** What servers deliver: opened, taken into the record, and only then acknowledged. */
export class Inbox {
  readonly #context: AgentContext;
  readonly #queues: OwnQueues;
  readonly #handshake: Handshake;

  constructor(context: AgentContext, queues: OwnQueues, handshake: Handshake) {
    this.#context = context;
    this.#queues = queues;
    this.#handshake = handshake;
  }

  delivered(client: ServerClient, recipientId: string, { messageId, body }: Delivery): void {
    const connection = this.#queues.find(client.server.name, recipientId);
    if (!connection?.own) return;
    if (body) {
      const opened = openBody(connection.own, body);
      if ('reason' in opened) {
        this.#context.emit('message.rejected', { connection: connection.id, reason: opened.reason });
      } else this.#handshake.came(connection, opened);
    }
    this.#queues.acknowledge(connection.own, messageId);
  }
}
