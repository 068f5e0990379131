/** Durations by powers of a tenth more each: quantiles within 5 %, in a fixed small space. */
export class LatencySketch {
  readonly #counts = new Map<number, number>();
  #count = 0;
  #sumMs = 0;
  #maximumMs = 0;

  add(ms: number): void {
    const bucket = ms <= 0.001 ? Number.NEGATIVE_INFINITY : Math.floor(Math.log(ms) / Math.log(1.1));
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + 1);
    this.#count += 1;
    this.#sumMs += ms;
    this.#maximumMs = Math.max(this.#maximumMs, ms);
  }

  get facts() {
    return {
      count: this.#count,
      sumMs: this.#sumMs,
      p50Ms: this.#quantile(0.5),
      p99Ms: this.#quantile(0.99),
      maximumMs: this.#maximumMs,
    };
  }

  #quantile(share: number): number {
    let left = Math.ceil(this.#count * share);
    for (const [bucket, count] of [...this.#counts].sort(([one], [other]) => one - other)) {
      left -= count;
      if (left <= 0) return bucket === Number.NEGATIVE_INFINITY ? 0 : 1.1 ** (bucket + 0.5);
    }
    return 0;
  }
}
