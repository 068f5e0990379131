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
  /** Pause after the registry did not answer. */
  readonly retryMs: number;
  /** How long after it was first seen a change of the list takes effect here; the first list does at once. */
  readonly lagMs: number;
  readonly onList: (list: NetworkList) => void;
  readonly onTrouble: (text: string) => void;
  readonly signal: AbortSignal;
}

/** So many misses are a registry that is not there yet, or a moment of silence. */
const PATIENT_MISSES = 8;
const RETRY_MAX_MS = 600_000;

/**
 * Doubles once the registry has been silent for long: a clock may leap by days on a node that nobody hears, and each attempt
 * of such a leap is a connection.
 * @param misses attempts in a row that brought no answer
 */
export const retryDelayMs = (retryMs: number, misses: number): number =>
  Math.max(retryMs, Math.min(RETRY_MAX_MS, retryMs * 2 ** Math.max(0, misses - PATIENT_MISSES)));

/**
 * Asks the registry for its list, and then for the next one, which it answers when there is one; tells of each after this node's
 * own lag. Nothing here ticks while nothing changes: a clock may leap by days.
 */
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

  /** Asks until the signal; resolves when the first list is in effect. */
  async start(): Promise<void> {
    const { signal } = this.#options;
    signal.addEventListener('abort', () => {
      for (const lagging of this.#lagging) lagging.cancel();
    });
    await this.#next();
    void this.#askOn();
  }

  async #askOn(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) await this.#next();
  }

  /** Until the registry has answered, or the signal. */
  async #next(): Promise<void> {
    const { clock, retryMs, signal } = this.#options;
    let misses = 0;
    while (!(await this.#askOnce())) {
      misses = this.#lastTrouble === '' ? 0 : misses + 1;
      try {
        await clock.sleep(retryDelayMs(retryMs, misses), signal);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
    }
  }

  /** @returns whether there was a new list; a registry that does not hold is not asked without a pause */
  async #askOnce(): Promise<boolean> {
    const { transport, registry, signal, onTrouble } = this.#options;
    const params = this.#seenHash === undefined ? {} : { poll_block_hash: this.#seenHash, hold: true };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'get_service_nodes', params });
    try {
      const answer = await transport.request(registry, PATH.jsonRpc, body, {
        timeoutMs: Number.POSITIVE_INFINITY,
        signal,
      });
      const result = new Fields(parseJson(answer.body, { bigIntegers: 'text' })).get('result');
      const list = parseNetworkList(result);
      if (list) this.#see(list);
      this.#lastTrouble = '';
      return list !== undefined;
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
