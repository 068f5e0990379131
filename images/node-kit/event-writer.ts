import { write, writeSync } from 'node:fs';

/** Docker's json-file driver splits longer lines. */
const LINE_MAX_BYTES = 16_384;
/** Texts of a line that is too long are cut to this, and then the line is left with its name alone. */
const CUT_CHARACTERS = 256;
const RETRY_MS = 2;
const STDOUT = 1;

/** The host's CLOCK_MONOTONIC in nanoseconds, exact for 104 days of uptime. */
export function monotonicNs(): number {
  return Number(process.hrtime.bigint());
}

/**
 * Writes events as JSON lines to standard output, in order and without loss. Writing waits for the reader outside of
 * the event loop, so that a slow reader costs memory and never the node's time.
 */
export class EventWriter {
  readonly #seq: Int32Array;
  readonly #descriptor: number;
  #pending: string[] = [];
  #writing: Promise<void> | undefined;

  /** @param counter four bytes that hold the last seq, shared by all that write to this output */
  constructor(counter: SharedArrayBuffer, descriptor = STDOUT) {
    this.#seq = new Int32Array(counter);
    this.#descriptor = descriptor;
  }

  get lastSeq(): number {
    return Atomics.load(this.#seq, 0);
  }

  emit(event: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const seq = Atomics.add(this.#seq, 0, 1) + 1;
    this.#pending.push(lineOf({ event, monoNs: monotonicNs(), seq }, fields));
    this.#writing ??= this.#drain();
  }

  /** Resolves once everything emitted so far has been taken. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  async #drain(): Promise<void> {
    // One turn later, so that what is emitted together is written together.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      while (this.#pending.length > 0) {
        const lines = this.#pending;
        this.#pending = [];
        await writeAll(this.#descriptor, Buffer.from(lines.join('')));
      }
    } finally {
      this.#writing = undefined;
    }
  }
}

async function writeAll(descriptor: number, bytes: Buffer): Promise<void> {
  let written = 0;
  while (written < bytes.length) written += await writeSome(descriptor, bytes, written);
}

function writeSome(descriptor: number, bytes: Buffer, from: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(descriptor, bytes, from, bytes.length - from, null, (error, count) => {
      if (error?.code === 'EAGAIN') setTimeout(resolve, RETRY_MS, 0);
      else if (error) reject(error);
      else resolve(count);
    });
  });
}

interface LineHead {
  readonly event: string;
  readonly monoNs: number;
  readonly seq: number;
}

function lineOf(head: LineHead, fields: Readonly<Record<string, unknown>>): string {
  for (const some of [fields, cutTexts(fields), { cut: true }]) {
    // The head comes first for people and last for its names, which no field may take.
    const line = `${JSON.stringify({ ...head, ...some, ...head }, writable)}\n`;
    if (Buffer.byteLength(line) <= LINE_MAX_BYTES) return line;
  }
  return `${JSON.stringify(head)}\n`;
}

function cutTexts(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.slice(0, CUT_CHARACTERS) : value,
  ]);
  return { ...Object.fromEntries(entries), cut: true };
}

function writable(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

/** Free text for a person; at once, since it is often the last thing that a process says. */
export function writeLog(text: string): void {
  try {
    writeSync(2, `${text}\n`);
  } catch (error) {
    // A full or closed standard error must not end a node.
    if (!['EAGAIN', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
