import type { Clock } from '../../harness/clock/index.ts';
import type { ServiceNode } from '../session-kit/index.ts';
import type { StoredMessage } from './message.ts';
import { inBatches } from './message-batch.ts';

export type HandOverReason =
  /** The swarm that this node was in is no more. */
  | 'dissolved'
  /** A node joined our swarm. */
  | 'joined'
  /** A new swarm owns a part of what was ours. */
  | 'new-swarm'
  /** A member did not take a store when it was made. */
  | 'missed';

export interface HandOverOptions {
  readonly clock: Clock;
  readonly batchMaxBytes: number;
  /** Pause before the first repetition; doubled up to the second number. */
  readonly retryMs: number;
  readonly retryMaxMs: number;
  /** Messages that wait for one receiver at most; the oldest are let go of past that. */
  readonly waitingMax: number;
  readonly push: (to: ServiceNode, messages: readonly StoredMessage[]) => Promise<boolean>;
  /** Whether the message is still worth handing to that node, and where that node is now. */
  readonly receiver: (ed25519: string) => ServiceNode | undefined;
  readonly nowWallMs: () => number;
  readonly onHandedOver: (to: ServiceNode, messages: number, reason: HandOverReason) => void;
  readonly signal: AbortSignal;
}

interface Queue {
  readonly waiting: Map<string, StoredMessage>;
  reason: HandOverReason;
  running: boolean;
}

/** Hands messages to other nodes until they have them: one after another for each receiver, repeated when it fails. */
export class HandOver {
  readonly #options: HandOverOptions;
  readonly #queues = new Map<string, Queue>();
  #dropped = 0;

  constructor(options: HandOverOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return [...this.#queues.values()].reduce((sum, { waiting }) => sum + waiting.size, 0);
  }

  get dropped(): number {
    return this.#dropped;
  }

  add(to: ServiceNode, messages: readonly StoredMessage[], reason: HandOverReason): void {
    if (messages.length === 0) return;
    const queue = this.#queues.get(to.ed25519) ?? { waiting: new Map(), reason, running: false };
    this.#queues.set(to.ed25519, queue);
    queue.reason = reason;
    for (const message of messages) queue.waiting.set(`${message.account}/${message.hash}`, message);
    for (const key of queue.waiting.keys()) {
      if (queue.waiting.size <= this.#options.waitingMax) break;
      queue.waiting.delete(key);
      this.#dropped += 1;
    }
    if (!queue.running) void this.#run(to.ed25519, queue);
  }

  async #run(receiver: string, queue: Queue): Promise<void> {
    const { clock, retryMs, retryMaxMs, signal } = this.#options;
    queue.running = true;
    let pauseMs = retryMs;
    while (queue.waiting.size > 0 && !signal.aborted) {
      const to = this.#options.receiver(receiver);
      // A node that has left the network needs nothing any more.
      if (!to) queue.waiting.clear();
      else if (await this.#pushOne(to, queue)) pauseMs = retryMs;
      else {
        if (!(await slept(clock, pauseMs, signal))) break;
        pauseMs = Math.min(pauseMs * 2, retryMaxMs);
      }
    }
    queue.running = false;
    if (queue.waiting.size === 0) this.#queues.delete(receiver);
  }

  async #pushOne(to: ServiceNode, queue: Queue): Promise<boolean> {
    const nowMs = this.#options.nowWallMs();
    for (const [key, { expiryMs }] of queue.waiting) if (expiryMs <= nowMs) queue.waiting.delete(key);
    const [batch] = inBatches([...queue.waiting.values()], this.#options.batchMaxBytes);
    if (!batch) return true;
    if (!(await this.#options.push(to, batch))) return false;
    for (const message of batch) {
      const key = `${message.account}/${message.hash}`;
      // Unless a newer state of it came to wait meanwhile.
      if (queue.waiting.get(key) === message) queue.waiting.delete(key);
    }
    this.#options.onHandedOver(to, batch.length, queue.reason);
    return true;
  }
}

async function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
