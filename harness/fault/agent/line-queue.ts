/** Lines pushed by one side and awaited by the other, until ended. */
export class LineQueue implements AsyncIterable<string> {
  readonly #waiting: string[] = [];
  #wake: (() => void) | undefined;
  #ended = false;

  push(line: string): void {
    if (this.#ended) return;
    this.#waiting.push(line);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<string> {
    for (;;) {
      const line = this.#waiting.shift();
      if (line !== undefined) yield line;
      else if (this.#ended) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
