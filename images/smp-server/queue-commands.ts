import { randomBytes } from 'node:crypto';
import { x25519Key } from '../../harness/identity/index.ts';
import {
  boxWith,
  type Command,
  isAuthorized,
  type PublicKey,
  type ServerMessage,
  SIZE,
} from '../smp-kit/index.ts';
import { isSameKey, type MessageQueue, type StoredMessage, type Subscriber } from './message-queue.ts';
import type { QueueStore } from './queue-store.ts';
import { type ReceivedCommand, refusal } from './received-command.ts';
import type { Emit, ServerRules } from './server-options.ts';

type OfTag<T extends Command['tag']> = Command & { readonly tag: T };

const AUTH = refusal({ tag: 'AUTH' });
const OK: ServerMessage = { tag: 'OK' };

/** A key and an authorization of nobody: what is verified when there is no queue, so that both take their time. */
const NOBODY: PublicKey = { curve: 'x25519', bytes: x25519Key(Buffer.alloc(32, 9)).publicKey };

/** The relay's side: commands of recipients and senders. */
export class QueueCommands {
  readonly #store: QueueStore;
  readonly #rules: ServerRules;
  readonly #wallS: () => number;
  readonly #emit: Emit;

  constructor(store: QueueStore, rules: ServerRules, wallS: () => number, emit: Emit) {
    this.#store = store;
    this.#rules = rules;
    this.#wallS = wallS;
    this.#emit = emit;
  }

  /** The answer to a recipient's or sender's command; undefined for another kind. @param subscriber hears of messages */
  answer(received: ReceivedCommand, subscriber: Subscriber): ServerMessage | undefined {
    const { command } = received;
    switch (command.tag) {
      case 'NEW':
        return this.#create(command, received, subscriber);
      case 'SUB':
      case 'KEY':
      case 'ACK':
      case 'OFF':
      case 'DEL':
        return this.#ofRecipient(command, received, subscriber);
      case 'SEND':
      case 'SKEY':
        return this.answerSender(received);
      default:
        return undefined;
    }
  }

  /** The answer to a sender's command, which may have come through a proxy; undefined for another kind. */
  answerSender(received: ReceivedCommand): ServerMessage | undefined {
    const { command, transmission } = received;
    if (command.tag !== 'SEND' && command.tag !== 'SKEY') return undefined;
    const queue = this.#store.ofSender(transmission.entityId);
    if (!queue) return this.#nobodys(received);
    if (command.tag === 'SEND') return this.#send(command, received, queue);
    const isAllowed =
      queue.facts.senderSecures && (!queue.senderKey || isSameKey(queue.senderKey, command.senderKey));
    if (!isAllowed || !authorizedBy(command.senderKey, received)) return AUTH;
    return queue.secure(copyOf(command.senderKey)) ? OK : AUTH;
  }

  #create(command: OfTag<'NEW'>, received: ReceivedCommand, subscriber: Subscriber): ServerMessage {
    const { recipientKey, recipientDhKey, basicAuth, subscribe, senderSecures } = command;
    if (!authorizedBy(recipientKey, received)) return AUTH;
    if (this.#rules.basicAuth !== '' && basicAuth !== this.#rules.basicAuth) return AUTH;
    const own = x25519Key(randomBytes(32));
    const box = boxWith(own, recipientDhKey);
    if (!box) return refusal({ tag: 'CMD', command: 'SYNTAX' });
    const queue = this.#store.create({ recipientKey: copyOf(recipientKey), box, senderSecures });
    if (!queue) return refusal({ tag: 'STORE', text: 'no room for another queue' });
    if (subscribe) queue.subscribe(subscriber);
    this.#emit('queue.created', { queue: queue.name });
    const { recipientId, senderId } = queue.facts;
    return { tag: 'IDS', recipientId, senderId, serverDhKey: own.publicKey, senderSecures };
  }

  #ofRecipient(command: Command, received: ReceivedCommand, subscriber: Subscriber): ServerMessage {
    const queue = this.#store.ofRecipient(received.transmission.entityId);
    if (!queue) return this.#nobodys(received);
    if (!authorizedBy(queue.facts.recipientKey, received)) return AUTH;
    switch (command.tag) {
      case 'SUB':
        queue.subscribe(subscriber)?.deliver({ tag: 'END' }, queue.facts.recipientId);
        return this.#nextOf(queue);
      case 'KEY':
        return queue.secure(copyOf(command.senderKey)) ? OK : AUTH;
      case 'ACK':
        return this.#acknowledge(command, queue, subscriber);
      case 'OFF':
        queue.isOff = true;
        return OK;
      case 'DEL':
        return this.#delete(queue, subscriber);
      default:
        return refusal({ tag: 'CMD', command: 'PROHIBITED' });
    }
  }

  #delete(queue: MessageQueue, subscriber: Subscriber): ServerMessage {
    const subscribed = this.#store.remove(queue);
    if (subscribed !== subscriber) subscribed?.deliver({ tag: 'DELD' }, queue.facts.recipientId);
    this.#emit('queue.deleted', { queue: queue.name });
    return OK;
  }

  #acknowledge({ messageId }: OfTag<'ACK'>, queue: MessageQueue, subscriber: Subscriber): ServerMessage {
    const message = queue.acknowledge(subscriber, messageId);
    if (!message) return refusal({ tag: 'NO_MSG' });
    this.#store.forget(message);
    this.#emit('message.acknowledged', this.#facts(queue, message));
    return this.#nextOf(queue);
  }

  #send(command: OfTag<'SEND'>, received: ReceivedCommand, queue: MessageQueue): ServerMessage {
    const { senderKey } = queue;
    const isFromSender = senderKey
      ? authorizedBy(senderKey, received)
      : received.transmission.authorization.length === 0;
    if (!isFromSender || queue.isOff) return AUTH;
    if (command.message.length > SIZE.message) return refusal({ tag: 'LARGE_MSG' });
    // A copy: what came is a view into a whole block.
    const body = Uint8Array.from(command.message);
    const message: StoredMessage = {
      id: randomBytes(SIZE.messageId),
      content: { kind: 'message', sentAtS: this.#wallS(), notify: command.notify, message: body },
    };
    const outcome = this.#store.put(queue, message);
    if (outcome === 'full') return refusal({ tag: 'STORE', text: 'no room for another message' });
    if (outcome === 'stored') this.#emit('message.stored', this.#facts(queue, message));
    const delivered = queue.deliver();
    if (delivered) this.#emit('message.delivered', this.#facts(queue, delivered));
    return outcome === 'quota' ? refusal({ tag: 'QUOTA' }) : OK;
  }

  /** The queue's first message, to be taken by the subscriber who just asked; OK when there is none. */
  #nextOf(queue: MessageQueue): ServerMessage {
    const next = queue.take();
    if (!next) return OK;
    this.#emit('message.delivered', this.#facts(queue, next));
    return queue.seal(next);
  }

  #facts(queue: MessageQueue, message: StoredMessage) {
    return { queue: queue.name, message: Buffer.from(message.id).toString('hex') };
  }

  #nobodys(received: ReceivedCommand): ServerMessage {
    authorizedBy(NOBODY, received);
    return AUTH;
  }
}

function authorizedBy(key: PublicKey, { transmission, session }: ReceivedCommand): boolean {
  const { authorization, correlationId, signed } = transmission;
  return isAuthorized(authorization, key, session.serverKey, {
    sessionId: session.sessionId,
    correlationId,
    signed,
  });
}

function copyOf({ curve, bytes }: PublicKey): PublicKey {
  return { curve, bytes: Uint8Array.from(bytes) };
}
