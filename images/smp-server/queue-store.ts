import { randomBytes } from 'node:crypto';
import { SIZE } from '../smp-kit/index.ts';
import {
  MessageQueue,
  type QueueFacts,
  type StoredMessage,
  type Subscriber,
  sizeOf,
} from './message-queue.ts';

export interface StoreLimits {
  readonly queueQuota: number;
  readonly queuesMax: number;
  readonly storedMaxBytes: number;
}

/** All queues of a server, in memory: a restart forgets them. */
export class QueueStore {
  readonly #limits: StoreLimits;
  readonly #byRecipient = new Map<string, MessageQueue>();
  readonly #bySender = new Map<string, MessageQueue>();
  #storedBytes = 0;

  constructor(limits: StoreLimits) {
    this.#limits = limits;
  }

  /** @returns undefined when there are as many as there may be */
  create(facts: Omit<QueueFacts, 'recipientId' | 'senderId' | 'quota'>): MessageQueue | undefined {
    if (this.#byRecipient.size >= this.#limits.queuesMax) return undefined;
    const [recipientId, senderId] = [randomBytes(SIZE.queueId), randomBytes(SIZE.queueId)];
    const queue = new MessageQueue({ ...facts, recipientId, senderId, quota: this.#limits.queueQuota });
    this.#byRecipient.set(keyOf(recipientId), queue);
    this.#bySender.set(keyOf(senderId), queue);
    return queue;
  }

  ofRecipient(id: Uint8Array): MessageQueue | undefined {
    return this.#byRecipient.get(keyOf(id));
  }

  ofSender(id: Uint8Array): MessageQueue | undefined {
    return this.#bySender.get(keyOf(id));
  }

  /** @returns `full` when the server holds as much as it may */
  put(queue: MessageQueue, message: StoredMessage): 'stored' | 'quota' | 'full' {
    if (this.#storedBytes + sizeOf(message) > this.#limits.storedMaxBytes) return 'full';
    const outcome = queue.put(message);
    if (outcome === 'stored') this.#storedBytes += sizeOf(message);
    return outcome;
  }

  /** A message of a queue has been acknowledged. */
  forget(message: StoredMessage): void {
    this.#storedBytes -= sizeOf(message);
  }

  /** @returns who was subscribed to it */
  remove(queue: MessageQueue): Subscriber | undefined {
    this.#storedBytes -= queue.storedBytes;
    this.#byRecipient.delete(keyOf(queue.facts.recipientId));
    this.#bySender.delete(keyOf(queue.facts.senderId));
    return queue.clear();
  }

  counts(): { readonly queues: number; readonly messages: number; readonly storedBytes: number } {
    let messages = 0;
    for (const queue of this.#byRecipient.values()) messages += queue.count;
    return { queues: this.#byRecipient.size, messages, storedBytes: this.#storedBytes };
  }
}

function keyOf(id: Uint8Array): string {
  return Buffer.from(id).toString('latin1');
}
