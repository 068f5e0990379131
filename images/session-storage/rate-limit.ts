import type { Clock } from '../../harness/clock/index.ts';

export interface RateLimitOptions {
  readonly clock: Clock;
  /** Requests that a second brings back. */
  readonly perSecond: number;
  /** Requests that may come at once. */
  readonly bucket: number;
  /** Callers that are remembered; past that, those who have been silent longest are forgotten. */
  readonly callersMax: number;
}

/** A bucket of tokens for each caller: full at first, a token a request, so many back a second. */
export class RateLimit {
  readonly #options: RateLimitOptions;
  /** In the order of their last request. */
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();

  constructor(options: RateLimitOptions) {
    this.#options = options;
  }

  get callers(): number {
    return this.#buckets.size;
  }

  /** Takes a token. @returns false when there is none: the request is to be refused */
  take(caller: string): boolean {
    const { clock, perSecond, bucket, callersMax } = this.#options;
    const nowMs = clock.nowMs();
    const last = this.#buckets.get(caller) ?? { tokens: bucket, atMs: nowMs };
    const tokens = Math.min(bucket, last.tokens + ((nowMs - last.atMs) / 1_000) * perSecond);
    const granted = tokens >= 1;
    this.#buckets.delete(caller);
    this.#buckets.set(caller, { tokens: granted ? tokens - 1 : tokens, atMs: nowMs });
    if (this.#buckets.size > callersMax) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    return granted;
  }
}
