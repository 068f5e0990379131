import type { Clock, Timer } from '../../harness/clock/index.ts';
import {
  Fields,
  type NetworkList,
  type NodeTarget,
  type NodeTransport,
  PATH,
  parseJson,
  parseNetworkList,
  TransportError,
  WireError,
} from '../session-kit/index.ts';

export interface RegistryPollOptions {
  readonly clock: Clock;
  readonly transport: NodeTransport;
  readonly registry: NodeTarget;
  readonly pollMs: number;
  readonly timeoutMs: number;
  /** How long after it was first seen a change of the list takes effect here; the first list does at once. */
  readonly lagMs: number;
  readonly onList: (list: NetworkList) => void;
  readonly onTrouble: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Asks the registry again and again, and tells of each new list after this node's own lag. */
export class RegistryPoll {
  readonly #options: RegistryPollOptions;
  readonly #lagging = new Set<Timer>();
  #seenHash: string | undefined;
  #lastTrouble = '';

  constructor(options: RegistryPollOptions) {
    this.#options = options;
  }

  /** Lists that are seen and not in effect yet. */
  get pending(): number {
    return this.#lagging.size;
  }

  /** Polls until the signal; resolves when the first list is in effect. */
  async start(): Promise<void> {
    const { clock, pollMs, signal } = this.#options;
    while (!(await this.#pollOnce())) await clock.sleep(pollMs, signal);
    let busy = false;
    const timer = clock.every(pollMs, () => {
      if (busy) return;
      busy = true;
      void this.#pollOnce().finally(() => {
        busy = false;
      });
    });
    signal.addEventListener('abort', () => {
      timer.cancel();
      for (const lagging of this.#lagging) lagging.cancel();
    });
  }

  /** @returns whether there was an answer */
  async #pollOnce(): Promise<boolean> {
    const { transport, registry, timeoutMs, signal, onTrouble } = this.#options;
    const params = this.#seenHash === undefined ? {} : { poll_block_hash: this.#seenHash };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'get_service_nodes', params });
    try {
      const answer = await transport.request(registry, PATH.jsonRpc, body, { timeoutMs, signal });
      const result = new Fields(parseJson(answer.body, { bigIntegers: 'text' })).get('result');
      const list = parseNetworkList(result);
      if (list) this.#see(list);
      this.#lastTrouble = '';
      return true;
    } catch (error) {
      if (!(error instanceof TransportError || error instanceof WireError)) throw error;
      if (error.message !== this.#lastTrouble && !signal.aborted) onTrouble(`registry: ${error.message}`);
      this.#lastTrouble = error.message;
      return false;
    }
  }

  #see(list: NetworkList): void {
    const { clock, lagMs, onList } = this.#options;
    const isFirst = this.#seenHash === undefined;
    this.#seenHash = list.blockHash;
    if (isFirst || lagMs === 0) {
      onList(list);
      return;
    }
    const timer = clock.after(lagMs, () => {
      this.#lagging.delete(timer);
      onList(list);
    });
    this.#lagging.add(timer);
  }
}
