export interface QueuedTimer {
  readonly dueMs: number;
  readonly callback: () => void;
  /** Of equal due times, the one that was set first comes first. */
  readonly order: number;
}

/** Timers by due time: a binary heap, so that tens of thousands of clients in one process stay cheap. */
export class TimerQueue {
  readonly #heap: QueuedTimer[] = [];
  readonly #cancelled = new WeakSet<QueuedTimer>();
  #order = 0;

  add(dueMs: number, callback: () => void): QueuedTimer {
    this.#order += 1;
    const timer = { dueMs, callback, order: this.#order };
    this.#heap.push(timer);
    this.#rise(this.#heap.length - 1);
    return timer;
  }

  /** It stays in the heap until its turn, and is passed over then. */
  cancel(timer: QueuedTimer): void {
    this.#cancelled.add(timer);
  }

  first(): QueuedTimer | undefined {
    while (this.#heap[0] && this.#cancelled.has(this.#heap[0])) this.#removeFirst();
    return this.#heap[0];
  }

  take(): QueuedTimer | undefined {
    const timer = this.first();
    if (timer) this.#removeFirst();
    return timer;
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink(0);
  }

  #rise(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#before(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #sink(from: number): void {
    let index = from;
    for (;;) {
      let least = index;
      for (const child of [2 * index + 1, 2 * index + 2]) {
        if (child < this.#heap.length && this.#before(child, least)) least = child;
      }
      if (least === index) return;
      this.#swap(index, least);
      index = least;
    }
  }

  #before(a: number, b: number): boolean {
    const left = this.#heap[a] as QueuedTimer;
    const right = this.#heap[b] as QueuedTimer;
    return left.dueMs === right.dueMs ? left.order < right.order : left.dueMs < right.dueMs;
  }

  #swap(a: number, b: number): void {
    const kept = this.#heap[a] as QueuedTimer;
    this.#heap[a] = this.#heap[b] as QueuedTimer;
    this.#heap[b] = kept;
  }
}
