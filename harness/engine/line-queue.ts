export interface LineQueueOptions {
  /** Above this many waiting characters `push` says stop; `onDrained` says go on. */
  readonly highWaterChars: number;
  /** Instead of stopping, forget the oldest lines above the mark: for an output that nobody may be reading. */
  readonly forgetOldest?: boolean;
  readonly onDrained?: () => void;
}

/** Lines on their way from one writer to one reader, bounded. Iterating twice shares the lines out. */
export class LineQueue implements AsyncIterable<string> {
  readonly #options: LineQueueOptions;
  #lines: string[] = [];
  #head = 0;
  #chars = 0;
  #full = false;
  #forgotten = 0;
  #ended = false;
  #failure: unknown;
  #waiting: (() => void)[] = [];

  constructor(options: LineQueueOptions) {
    this.#options = options;
  }

  /** False when the writer should pause until `onDrained`. */
  push(line: string): boolean {
    if (this.#ended) return true;
    this.#lines.push(line);
    this.#chars += line.length + 1;
    if (this.#options.forgetOldest) {
      while (this.#chars > this.#options.highWaterChars && this.#lines.length - this.#head > 1) {
        this.#take();
        this.#forgotten += 1;
      }
    }
    this.#wake();
    this.#full ||= this.#chars > this.#options.highWaterChars;
    return !this.#full;
  }

  /** No more lines; those waiting are still read, then the failure (if any) is thrown. */
  end(failure?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = failure;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      if (this.#forgotten > 0) {
        const lost = this.#forgotten;
        this.#forgotten = 0;
        yield `…[${lost} earlier lines not kept]`;
      } else if (this.#head < this.#lines.length) {
        yield this.#take();
      } else if (this.#ended) {
        if (this.#failure !== undefined) throw this.#failure;
        return;
      } else {
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    }
  }

  #take(): string {
    const line = this.#lines[this.#head]!;
    this.#lines[this.#head] = '';
    this.#head += 1;
    if (this.#head > 1_000 && this.#head * 2 > this.#lines.length) {
      this.#lines = this.#lines.slice(this.#head);
      this.#head = 0;
    }
    this.#chars -= line.length + 1;
    if (this.#full && this.#chars <= this.#options.highWaterChars / 2) {
      this.#full = false;
      this.#options.onDrained?.();
    }
    return line;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
