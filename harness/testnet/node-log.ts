import type { RecordedEvent } from '../record/index.ts';
import type { AdapterSpec } from '../topology/index.ts';
import { type Adapter, type AdapterReport, compileAdapter } from './adapter.ts';
import { parseEventLine, SequenceGaps } from './parse-event.ts';
import type { LineListener } from './types.ts';

/** Last lines kept in memory for messages, and the most of each. */
const TAIL_LINES = 40;
const TAIL_LINE_CHARACTERS = 400;

export interface NodeLogCounts {
  readonly lines: number;
  readonly bytes: number;
  readonly events: number;
  /** Lines that the node numbered and we never saw. */
  readonly lostLines: number;
}

/** One node's output: events out of its lines, the last of them for messages, and counts. Holds nothing else. */
export class NodeLog {
  readonly #node: string;
  readonly #onEvent: (event: RecordedEvent) => void;
  readonly #onLine: LineListener;
  readonly #onText: (line: string) => void;
  readonly #adapters: readonly Adapter[];
  readonly #gaps = new SequenceGaps();
  #tail: string[] = [];
  #lines = 0;
  #bytes = 0;
  #events = 0;

  constructor(options: {
    readonly node: string;
    readonly adapters: readonly AdapterSpec[];
    readonly onEvent: (event: RecordedEvent) => void;
    readonly onLine: LineListener;
    /** Every line, for a readiness pattern. */
    readonly onText?: (line: string) => void;
  }) {
    this.#node = options.node;
    this.#onEvent = options.onEvent;
    this.#onLine = options.onLine;
    this.#onText = options.onText ?? (() => undefined);
    this.#adapters = options.adapters.map((spec) => compileAdapter(options.node, spec));
  }

  accept(stream: 'stdout' | 'stderr', line: string): void {
    this.#lines += 1;
    this.#bytes += line.length + 1;
    this.#keep(line);
    this.#onLine(this.#node, stream, line);
    this.#onText(line);
    const event = stream === 'stdout' ? parseEventLine(this.#node, line) : undefined;
    if (event) {
      this.#acceptEvent(event);
      return;
    }
    for (const adapter of this.#adapters) {
      if (adapter.spec.source !== 'stdout') continue;
      const adapted = adapter.offer(line);
      if (adapted) this.acceptAdapted(adapted);
    }
  }

  /** An event that an adapter made from something else than the log. */
  acceptAdapted(event: RecordedEvent): void {
    this.#events += 1;
    this.#onEvent(event);
  }

  /** Adapters that read elsewhere than the log and must be polled. */
  get polledAdapters(): readonly Adapter[] {
    return this.#adapters.filter((adapter) => adapter.spec.source !== 'stdout');
  }

  adapterReports(): readonly AdapterReport[] {
    return this.#adapters.map((adapter) => adapter.report());
  }

  get counts(): NodeLogCounts {
    return { lines: this.#lines, bytes: this.#bytes, events: this.#events, lostLines: this.#gaps.lost };
  }

  /** The last lines, oldest first. */
  tail(lines = TAIL_LINES): readonly string[] {
    return this.#tail.slice(-lines);
  }

  #acceptEvent(event: RecordedEvent): void {
    const missing = event.seq === undefined ? 0 : this.#gaps.observe(event.seq);
    this.#events += 1;
    if (missing > 0) {
      this.#onEvent({
        node: this.#node,
        event: 'log.gap',
        atNs: event.atNs,
        fields: { missing, before: event.seq },
      });
    }
    this.#onEvent(event);
  }

  #keep(line: string): void {
    this.#tail.push(line.length > TAIL_LINE_CHARACTERS ? `${line.slice(0, TAIL_LINE_CHARACTERS)}…` : line);
    // Shifting forty entries on every line would cost more than cutting the list now and then.
    if (this.#tail.length > TAIL_LINES * 2) this.#tail = this.#tail.slice(-TAIL_LINES);
  }
}
