import type { LineListener } from './types.ts';

/** Lines kept of each node for whoever comes later, and the most of each line. */
const KEPT_LINES = 1_000;
const KEPT_CHARACTERS = 16_384;

export interface HubLine {
  readonly node: string;
  readonly stream: 'stdout' | 'stderr';
  readonly line: string;
}

/** The last lines of every node and the lines to come, for any number of readers. */
export class LineHub {
  readonly #kept = new Map<string, HubLine[]>();
  readonly #readers = new Set<(line: HubLine) => void>();

  readonly accept: LineListener = (node, stream, text) => {
    const line = { node, stream, line: text.slice(0, KEPT_CHARACTERS) };
    const kept = this.#kept.get(node) ?? [];
    kept.push(line);
    this.#kept.set(node, kept.length > 2 * KEPT_LINES ? kept.slice(-KEPT_LINES) : kept);
    for (const reader of this.#readers) reader(line);
  };

  /** The last `count` lines of these nodes, a node after the other. */
  last(nodes: readonly string[], count: number): readonly HubLine[] {
    return nodes.flatMap((node) =>
      count === 0 ? [] : (this.#kept.get(node) ?? []).slice(-Math.min(count, KEPT_LINES)),
    );
  }

  /** Lines from now on until the signal. Nothing is lost between `last` and this when both are called at once. */
  follow(nodes: readonly string[], onLine: (line: HubLine) => void, signal: AbortSignal): Promise<void> {
    const wanted = new Set(nodes);
    const reader = (line: HubLine): void => {
      if (wanted.has(line.node)) onLine(line);
    };
    this.#readers.add(reader);
    return new Promise((resolve) => {
      const end = (): void => {
        this.#readers.delete(reader);
        resolve();
      };
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    });
  }
}
