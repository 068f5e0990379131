import { setMaxListeners } from 'node:events';
import type { Command, ReceivedTransmission, ServerMessage, SmpPeer } from '../smp-kit/index.ts';
import { answerForwarded } from './forwarded-command.ts';
import type { MessageQueue, Subscriber } from './message-queue.ts';
import type { ProxyCommands } from './proxy-commands.ts';
import type { QueueCommands } from './queue-commands.ts';
import { type ReceivedCommand, receiveCommand, refusal } from './received-command.ts';
import { Slots } from './slots.ts';

/** One client's connection: its commands one after the other, each answered before the next, except those for relays. */
export class ClientSession implements Subscriber {
  readonly subscriptions = new Set<MessageQueue>();
  readonly slots: Slots;
  readonly #peer: SmpPeer;
  readonly #queues: QueueCommands;
  readonly #proxy: ProxyCommands;
  readonly #leaving = new AbortController();
  #commands = 0;

  constructor(peer: SmpPeer, queues: QueueCommands, proxy: ProxyCommands, concurrency: number) {
    this.#peer = peer;
    this.#queues = queues;
    this.#proxy = proxy;
    this.slots = new Slots(concurrency);
    // Every command that waits for a relay listens, and those are as many as there are slots.
    setMaxListeners(0, this.#leaving.signal);
  }

  get from(): string {
    return this.#peer.facts.from;
  }

  get isProxy(): boolean {
    return this.#peer.facts.proxyBox !== undefined;
  }

  get commands(): number {
    return this.#commands;
  }

  /** Serves the client until it leaves. @returns why it did */
  async run(): Promise<string> {
    const left = this.#peer.closed.then((reason) => {
      this.#leaving.abort(new Error('the client left'));
      for (const queue of this.subscriptions) queue.unsubscribe(this);
      this.subscriptions.clear();
      return reason;
    });
    for (let batch = await this.#peer.next(); batch; batch = await this.#peer.next()) {
      for (const transmission of batch) {
        if (this.#peer.isClosed) break;
        await this.#take(transmission);
      }
    }
    return await left;
  }

  deliver(message: ServerMessage, entityId: Uint8Array): void {
    this.#peer.send(message, entityId);
  }

  async #take(transmission: ReceivedTransmission | undefined): Promise<void> {
    this.#commands += 1;
    if (!transmission) {
      this.#peer.send(refusal({ tag: 'BLOCK' }));
      return;
    }
    const { entityId, correlationId } = transmission;
    const { sessionId, serverKey } = this.#peer.facts;
    const reply = (message: ServerMessage): void => this.#peer.send(message, entityId, correlationId);
    const received = receiveCommand(transmission, { sessionId, serverKey });
    if ('tag' in received) {
      if (received.tag === 'BLOCK') this.#peer.send(refusal(received));
      else reply(refusal(received));
      return;
    }
    const { command } = received;
    if (command.tag === 'PRXY' || command.tag === 'PFWD') await this.#forward(command, received, reply);
    else reply(this.#answer(command, received));
  }

  #answer(command: Command, received: ReceivedCommand): ServerMessage {
    if (command.tag === 'PING') return { tag: 'PONG' };
    if (command.tag === 'RFWD') {
      const { correlationId } = received.transmission;
      return answerForwarded(this.#queues, this.#peer.facts, { sealed: command.sealed, correlationId });
    }
    return this.#queues.answer(received, this) ?? refusal({ tag: 'CMD', command: 'PROHIBITED' });
  }

  async #forward(
    command: Extract<Command, { tag: 'PRXY' | 'PFWD' }>,
    { transmission }: ReceivedCommand,
    reply: (message: ServerMessage) => void,
  ): Promise<void> {
    const { correlationId, entityId } = transmission;
    const { slots } = this;
    const { signal } = this.#leaving;
    try {
      await this.#proxy.take(command, { slots, signal, correlationId, entityId, reply });
    } catch (error) {
      // The client left while it waited for a slot.
      if (!signal.aborted) throw error;
    }
  }
}
