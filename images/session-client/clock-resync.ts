import type { Clock } from '../../harness/clock/index.ts';
import type { ClientRules } from './client-rules.ts';
import { field } from './json-field.ts';
import type { PoolNode } from './pool-node.ts';
import { type Answer, failure, type OnAnswer } from './request.ts';
import type { SnodePool } from './snode-pool.ts';
import type { Tell } from './tell.ts';

export interface ResyncPorts {
  readonly rules: Pick<ClientRules, 'resyncEndsOnFailure' | 'failedResyncKeepsOffset'>;
  readonly pool: SnodePool;
  readonly clock: Clock;
  readonly tell: Tell;
  /** How many nodes are asked what time it is. */
  readonly nodeCount: number;
  readonly usedNodes: () => readonly PoolNode[];
  readonly askInfo: (node: PoolNode, onAnswer: OnAnswer) => void;
}

/**
 * A node (406) or a server (425) finds our clock wrong: the offset is set to the median of what some nodes say. One resync
 * at a time; the requests that wait for it fail when it ends, since only their caller can write them anew.
 */
export class ClockResync {
  readonly #ports: ResyncPorts;
  #queue: { readonly onAnswer: OnAnswer; readonly status: number }[] = [];
  #currentId: number | undefined;
  #lastId = 0;
  #offsetMs = 0;

  constructor(ports: ResyncPorts) {
    this.#ports = ports;
  }

  /** Add it to the wall clock for the network's time. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  get running(): boolean {
    return this.#currentId !== undefined;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  resync(status: number, onAnswer: OnAnswer): void {
    const { pool, rules, tell, usedNodes, nodeCount } = this.#ports;
    this.#queue.push({ onAnswer, status });
    if (this.#currentId !== undefined) return;
    this.#lastId += 1;
    const id = this.#lastId;
    this.#currentId = id;
    tell.event('clock.resync-started', { status });
    pool.refreshIfNeeded(usedNodes(), (refreshed) => {
      if (!refreshed) {
        tell.log('warn', 'the clock resync is given up: the pool could not be refreshed');
        if (rules.resyncEndsOnFailure) this.#end([]);
        return;
      }
      this.#ask(id, pool.getUnusedNodes(nodeCount, usedNodes()));
    });
  }

  #ask(id: number, nodes: readonly PoolNode[]): void {
    const offsetsMs: (number | undefined)[] = [];
    if (nodes.length === 0) this.#end([]);
    for (const node of nodes) {
      const askedAtMs = this.#ports.clock.nowMs();
      this.#ports.askInfo(node, (answer) => {
        if (this.#currentId !== id) return;
        offsetsMs.push(this.#offsetOf(answer, askedAtMs));
        if (offsetsMs.length === nodes.length) this.#end(offsetsMs.filter((one) => one !== undefined));
      });
    }
  }

  #offsetOf(answer: Answer, askedAtMs: number): number | undefined {
    const theirsMs = field(answer.body, 't') ?? field(answer.body, 'timestamp');
    if (!answer.ok || typeof theirsMs !== 'number' || !Number.isSafeInteger(theirsMs)) return undefined;
    const { clock } = this.#ports;
    return theirsMs - clock.wallMs() + (clock.nowMs() - askedAtMs) / 2;
  }

  /** An old offset beats none: without an answer it stays. */
  #end(offsetsMs: readonly number[]): void {
    const median = medianOf(offsetsMs);
    if (median !== undefined) this.#offsetMs = median;
    else if (!this.#ports.rules.failedResyncKeepsOffset) this.#offsetMs = 0;
    this.#currentId = undefined;
    const queue = this.#queue;
    this.#queue = [];
    this.#ports.tell.event('clock.resync-ended', {
      answers: offsetsMs.length,
      offsetMs: this.#offsetMs,
      failed: queue.length,
    });
    for (const { onAnswer, status } of queue) onAnswer(failure(status, 'the clock is out of sync'));
  }
}

function medianOf(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const [below, above] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return below === undefined || above === undefined ? undefined : (below + above) / 2;
}
