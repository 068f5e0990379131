import type { BoxKey, DeliveredMessage, PublicKey, ServerMessage } from '../smp-kit/index.ts';
import { sealDelivered } from '../smp-kit/index.ts';

/** Who hears of a queue's messages. */
export interface Subscriber {
  /** What it is subscribed to, to be left when it goes. */
  readonly subscriptions: Set<MessageQueue>;
  deliver(message: ServerMessage, entityId: Uint8Array): void;
}

export interface StoredMessage {
  readonly id: Uint8Array;
  readonly content: DeliveredMessage;
}

interface Subscription {
  readonly subscriber: Subscriber;
  /** The message that was delivered and not acknowledged. */
  delivered: StoredMessage | undefined;
}

export interface QueueFacts {
  readonly recipientId: Uint8Array;
  readonly senderId: Uint8Array;
  readonly recipientKey: PublicKey;
  /** Between the server and the recipient. */
  readonly box: BoxKey;
  /** Whether SKEY may secure it. */
  readonly senderSecures: boolean;
  readonly quota: number;
}

/** One queue: its messages in order, of which one at a time is with the subscriber until that acknowledges it. */
export class MessageQueue {
  readonly facts: QueueFacts;
  /** In events: the recipient's id, in hexadecimal. */
  readonly name: string;
  senderKey: PublicKey | undefined;
  isOff = false;
  readonly #messages: StoredMessage[] = [];
  #isTurningAway = false;
  #subscription: Subscription | undefined;

  constructor(facts: QueueFacts) {
    this.facts = facts;
    this.name = Buffer.from(facts.recipientId).toString('hex');
  }

  get count(): number {
    return this.#messages.length;
  }

  get storedBytes(): number {
    return this.#messages.reduce((sum, message) => sum + sizeOf(message), 0);
  }

  /**
   * Keeps a message, or turns it away: once the quota is reached every message is, until the queue has been emptied. The
   * first one turned away leaves a note in its place that tells the recipient so.
   */
  put(message: StoredMessage): 'stored' | 'quota' {
    if (this.#isTurningAway && this.#messages.length > 0) return 'quota';
    this.#isTurningAway = this.#messages.length >= this.facts.quota;
    if (!this.#isTurningAway) {
      this.#messages.push(message);
      return 'stored';
    }
    this.#messages.push({ id: message.id, content: { kind: 'quota', sentAtS: message.content.sentAtS } });
    return 'quota';
  }

  /** Secures it. @returns false when it is secured with another key */
  secure(key: PublicKey): boolean {
    if (this.senderKey) return isSameKey(this.senderKey, key);
    this.senderKey = key;
    return true;
  }

  /** @returns who was subscribed before, when that is somebody else */
  subscribe(subscriber: Subscriber): Subscriber | undefined {
    const before = this.#subscription?.subscriber;
    if (before !== subscriber) before?.subscriptions.delete(this);
    this.#subscription = { subscriber, delivered: undefined };
    subscriber.subscriptions.add(this);
    return before === subscriber ? undefined : before;
  }

  unsubscribe(subscriber: Subscriber): void {
    if (this.#subscription?.subscriber === subscriber) this.#subscription = undefined;
  }

  /** The first message, which from now on is with the subscriber. */
  take(): StoredMessage | undefined {
    const first = this.#messages[0];
    if (this.#subscription) this.#subscription.delivered = first;
    return first;
  }

  /** Delivers the first message, unless nobody is there or one is with the subscriber already. */
  deliver(): StoredMessage | undefined {
    const subscription = this.#subscription;
    if (!subscription || subscription.delivered) return undefined;
    const first = this.take();
    if (first) subscription.subscriber.deliver(this.seal(first), this.facts.recipientId);
    return first;
  }

  /**
   * The subscriber has it; it is forgotten.
   * @param id of the message, or nothing for the one that was delivered
   * @returns undefined when it is not with the subscriber
   */
  acknowledge(subscriber: Subscriber, id: Uint8Array): StoredMessage | undefined {
    const subscription = this.#subscription;
    const delivered = subscription?.subscriber === subscriber ? subscription.delivered : undefined;
    if (!subscription || !delivered) return undefined;
    if (id.length > 0 && !Buffer.from(id).equals(delivered.id)) return undefined;
    subscription.delivered = undefined;
    if (this.#messages[0] === delivered) this.#messages.shift();
    return delivered;
  }

  seal({ id, content }: StoredMessage): ServerMessage {
    return { tag: 'MSG', messageId: id, sealed: sealDelivered(this.facts.box, id, content) };
  }

  /** Empties it for good. @returns who was subscribed */
  clear(): Subscriber | undefined {
    const subscriber = this.#subscription?.subscriber;
    subscriber?.subscriptions.delete(this);
    this.#messages.length = 0;
    this.#subscription = undefined;
    return subscriber;
  }
}

export function sizeOf({ content }: StoredMessage): number {
  return content.kind === 'message' ? content.message.length : 0;
}

export function isSameKey(one: PublicKey, other: PublicKey): boolean {
  return one.curve === other.curve && Buffer.from(one.bytes).equals(other.bytes);
}
