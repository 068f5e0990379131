/** Pauses between attempts: `initialMs` until `increaseAfterMs` have been waited, then half as much more each time. */
export interface RetryInterval {
  readonly initialMs: number;
  readonly increaseAfterMs: number;
  readonly maximumMs: number;
}

/** Pauses of one task, each longer than the last or as long. */
export class RetryPauses {
  readonly #interval: RetryInterval;
  #waitedMs = 0;
  #pauseMs: number;

  constructor(interval: RetryInterval) {
    this.#interval = interval;
    this.#pauseMs = interval.initialMs;
  }

  nextMs(): number {
    const pauseMs = this.#pauseMs;
    const { increaseAfterMs, maximumMs } = this.#interval;
    this.#waitedMs += pauseMs;
    if (this.#waitedMs >= increaseAfterMs) this.#pauseMs = Math.min((pauseMs * 3) / 2, maximumMs);
    return pauseMs;
  }
}
