import type { ClientRules } from './client-rules.ts';
import type { PoolLimits } from './pool-limits.ts';

/** What a rejection may do, by the throttle. */
export type ThrottleAnswer =
  /** A refresh may run: the `step`-th since the last quiet, and the next not before `nextMs`. */
  | { readonly runs: true; readonly step: number; readonly nextMs: number }
  | { readonly runs: false; readonly reason: 'young' | 'backoff'; readonly nextMs: number };

/**
 * How often rejections refresh the pool: at once, then 1, 2, 4 … minutes after the refresh before, at most the time after
 * which a pool is refreshed anyway. A rejection that was declined is not answered later; the next one asks again.
 */
export class RejectionThrottle {
  readonly #rules: ClientRules;
  readonly #limits: PoolLimits;
  /** Refreshes that rejections have had since the last quiet. */
  #step = 0;
  #ranAtMs = 0;
  #rejectedAtMs = 0;

  constructor(rules: ClientRules, limits: PoolLimits) {
    this.#rules = rules;
    this.#limits = limits;
  }

  get step(): number {
    return this.#step;
  }

  /** @param poolAtMs when the pool was last replaced; undefined when it never was */
  reject(nowMs: number, poolAtMs: number | undefined): ThrottleAnswer {
    const { quietResetsInterval, declineYoungPool, doubleOnlyAfterRun } = this.#rules;
    const quietMs = nowMs - this.#rejectedAtMs;
    // Quiet is the time without any rejection, a declined one included.
    if (this.#step > 0 && quietResetsInterval && quietMs >= 2 * this.#intervalMs()) this.#step = 0;
    this.#rejectedAtMs = nowMs;
    const oldEnoughMs = (poolAtMs ?? Number.NEGATIVE_INFINITY) + this.#limits.rejectionIntervalMs;
    if (declineYoungPool && nowMs < oldEnoughMs) return this.#decline('young', oldEnoughMs);
    const nextMs = this.#step === 0 ? nowMs : this.#ranAtMs + this.#intervalMs();
    if (nowMs < nextMs) {
      if (!doubleOnlyAfterRun) this.#step += 1;
      return this.#decline('backoff', nextMs);
    }
    this.#step += 1;
    this.#ranAtMs = nowMs;
    return { runs: true, step: this.#step, nextMs: nowMs + this.#intervalMs() };
  }

  /** The refresh of the last step was abandoned. */
  abandoned(): void {
    if (!this.#rules.abandonedKeepsStep) this.#step = 0;
  }

  #decline(reason: 'young' | 'backoff', nextMs: number): ThrottleAnswer {
    return { runs: false, reason, nextMs };
  }

  /** Between the last refresh for a rejection and the next one. */
  #intervalMs(): number {
    const { rejectionIntervalMs, cacheExpirationMs } = this.#limits;
    if (!this.#rules.intervalDoubles) return rejectionIntervalMs;
    const doubledMs = rejectionIntervalMs * 2 ** Math.max(0, this.#step - 1);
    return this.#rules.intervalCapped ? Math.min(cacheExpirationMs, doubledMs) : doubledMs;
  }
}
