/** A capture without a kernel: bytes that a test pretends, read once each, until it was stopped. */
export class FakeCapture {
  readonly #nodes: readonly string[];
  #pieces: { readonly node: string; readonly bytes: Buffer }[] = [];
  readonly #taken = new Map<string, number>();
  #stopped = false;
  #over = false;
  #wake: () => void = () => undefined;
  #askedOn: () => void = () => undefined;
  /** Resolves once the reader asks for more: what it was given before is in its hands. */
  readonly askedOn = new Promise<void>((resolve) => {
    this.#askedOn = resolve;
  });

  constructor(nodes: readonly string[]) {
    this.#nodes = nodes;
  }

  /** All of it was read after its stop, and the reader knows. */
  get over(): boolean {
    return this.#over;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  add(node: string, bytes: Buffer): void {
    this.#pieces.push({ node, bytes });
    this.#wake();
  }

  /** Waits for bytes or the stop, as the real one does up to `waitMs`. */
  async read(): Promise<Readonly<Record<string, unknown>>> {
    if (this.#taken.size > 0) this.#askedOn();
    if (this.#pieces.length === 0 && !this.#stopped) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const pieces = this.#pieces.map(({ node, bytes }) => ({ node, data: bytes.toString('base64') }));
    for (const { node, bytes } of this.#pieces) {
      this.#taken.set(node, (this.#taken.get(node) ?? 0) + bytes.length);
    }
    this.#pieces = [];
    this.#over = this.#stopped;
    return { pieces, ended: this.#stopped, waitingBytes: 0 };
  }

  /** Every piece counts as one packet. `counts` stands in for what only a kernel can cause. */
  stop(
    atNs: number,
    counts: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
  ): Readonly<Record<string, unknown>> {
    this.#stopped = true;
    const nodes = this.#nodes.map((name) => {
      const waiting = this.#pieces.filter((piece) => piece.node === name);
      const bytes = waiting.reduce((sum, piece) => sum + piece.bytes.length, this.#taken.get(name) ?? 0);
      return {
        name,
        packets: 1,
        bytes,
        kernelDropped: 0,
        unread: 0,
        overLimit: 0,
        ...counts.get(name),
      };
    });
    this.#wake();
    return { atNs, nodes };
  }
}
