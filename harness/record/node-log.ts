import { join } from 'node:path';
import { LineFile } from './line-file.ts';
import { blankValues } from './redact.ts';
import { safeName } from './safe-name.ts';
import type { NodeRecord } from './types.ts';

export interface NodeLogLimits {
  /** Of one node's log file, head and tail together. Default 8 MiB. */
  readonly logBytes: number;
  /** Of the last lines, kept in memory once the log is cut and written at its end. Default 64 KiB. */
  readonly tailBytes: number;
  /** Values that no line may show. */
  readonly secrets: readonly string[];
}

/**
 * One node's log on the disk: its first lines, and its last ones when it grew too long, with a mark where it was cut.
 * A line that repeats is written once with a count, so that a flood of one message cannot push out the others.
 */
export class NodeLog {
  readonly #name: string;
  readonly #file: LineFile;
  readonly #limits: NodeLogLimits;
  #lines = 0;
  #previous: string | undefined;
  #repeats = 0;
  #lostLines = 0;
  #tail: string[] = [];
  #tailBytes = 0;
  #cut = false;
  #closed = false;

  constructor(trialDir: string, node: string, limits: NodeLogLimits) {
    this.#name = join('logs', `${safeName(node)}.log`);
    this.#file = new LineFile(join(trialDir, this.#name));
    this.#limits = limits;
  }

  /** Takes one line as it came (no newline at its end); false asks the caller to wait for `drained`. */
  line(text: string): boolean {
    this.#lines += 1;
    if (text === this.#previous) {
      this.#repeats += 1;
      return true;
    }
    this.#noteRepeats();
    this.#previous = text;
    return this.#put(`${blankValues(text, this.#limits.secrets)}\n`);
  }

  async drained(): Promise<void> {
    await this.#file.drained();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#noteRepeats();
    if (this.#cut) {
      if (this.#lostLines > 0) this.#file.write(`[squall: cut here, ${this.#lostLines} lines not kept]\n`);
      this.#file.write(this.#tail.join(''));
    }
    // Not made durable one by one: a hundred syncs a trial cost more than a log is worth after a power cut.
    await this.#file.close({ durable: false });
  }

  /** For `NodeRecord.log`. */
  get summary(): NonNullable<NodeRecord['log']> {
    return {
      path: this.#name,
      lines: this.#lines,
      bytes: this.#file.sizeBytes,
      truncated: this.#lostLines > 0,
      lostLines: this.#lostLines,
    };
  }

  #noteRepeats(): void {
    if (this.#repeats > 0) this.#put(`[squall: the line above came ${this.#repeats} more times]\n`);
    this.#repeats = 0;
  }

  #put(line: string): boolean {
    const lineBytes = Buffer.byteLength(line);
    if (!this.#cut && this.#file.sizeBytes + lineBytes + this.#limits.tailBytes <= this.#limits.logBytes) {
      return this.#file.write(line);
    }
    this.#cut = true;
    this.#tail.push(line);
    this.#tailBytes += lineBytes;
    while (this.#tailBytes > this.#limits.tailBytes && this.#tail.length > 0) {
      this.#tailBytes -= Buffer.byteLength(this.#tail.shift() ?? '');
      this.#lostLines += 1;
    }
    return true;
  }
}
