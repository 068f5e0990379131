import { close, fsync, openSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { SquallError } from '../errors/index.ts';

const closeFile = promisify(close);
const syncFile = promisify(fsync);
const writeAt = promisify(write);

/** Chunks of this size go to the disk; smaller ones wait for more. */
const CHUNK_BYTES = 256 * 1024;
/** Above this much unwritten, `write` asks its caller to wait for `drained`. */
const HIGH_WATER_BYTES = 4 * 1024 * 1024;
/** A caller that does not wait is held to this much memory: the rest is written on its own time. */
const MEMORY_LIMIT_BYTES = 16 * 1024 * 1024;

export interface LineFileOptions {
  /** Size of what is in the file already, to go on after it; 0, the default, makes the file anew. */
  readonly startBytes?: number;
  /** Text waits no longer than this for more to share its chunk, for those who read the file while it grows. */
  readonly flushAfterMs?: number;
}

/**
 * Appends text to a file without losing any and without growing: chunks are written in the background at positions
 * that are fixed when they are cut, so that a chunk which has to be written at once never disturbs one in flight.
 */
export class LineFile {
  readonly path: string;
  #descriptor: number | undefined;
  #pending: string[] = [];
  #pendingBytes = 0;
  #position: number;
  #inFlightBytes = 0;
  #inFlight: Promise<void> | undefined;
  #failure: unknown;
  #closed = false;
  readonly #flushAfterMs: number | undefined;
  #flush: NodeJS.Timeout | undefined;

  constructor(path: string, { startBytes = 0, flushAfterMs }: LineFileOptions = {}) {
    this.path = path;
    this.#position = startBytes;
    this.#flushAfterMs = flushAfterMs;
  }

  /** Bytes given so far, what was there before included. */
  get sizeBytes(): number {
    return this.#position + this.#pendingBytes;
  }

  /** Bytes held in memory now. */
  get heldBytes(): number {
    return this.#pendingBytes + this.#inFlightBytes;
  }

  /** Takes text; false asks the caller to wait for `drained` before giving more. */
  write(text: string): boolean {
    if (this.#closed) throw new SquallError(`${this.path}: written after its end`, { code: 'record-closed' });
    this.#pending.push(text);
    this.#pendingBytes += Buffer.byteLength(text);
    if (this.heldBytes > MEMORY_LIMIT_BYTES) this.#writeNow();
    else if (this.#pendingBytes >= CHUNK_BYTES) this.#startWriting();
    else if (this.#flushAfterMs !== undefined) this.#flushSoon(this.#flushAfterMs);
    return this.heldBytes < HIGH_WATER_BYTES;
  }

  /** Resolves when nothing is held in memory. @throws SquallError `record-write-failed` */
  async drained(): Promise<void> {
    while (this.heldBytes > 0 && !this.#failure) {
      this.#startWriting();
      await this.#inFlight;
    }
    if (!this.#failure) return;
    throw new SquallError(`${this.path}: could not be written`, {
      code: 'record-write-failed',
      cause: this.#failure,
      hint: 'Look at the free space and the permissions of the reports folder.',
    });
  }

  /** Writes what is left, makes it durable and closes. Can be called twice. @throws SquallError `record-write-failed` */
  async close(options: { readonly durable: boolean }): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#flush);
    try {
      await this.drained();
      if (options.durable) await syncFile(this.#open());
    } finally {
      if (this.#descriptor !== undefined) await closeFile(this.#descriptor);
    }
  }

  #open(): number {
    // Never in append mode: Linux would then ignore the positions that keep the chunks in order.
    this.#descriptor ??= openSync(this.path, this.#position === 0 ? 'w' : 'r+');
    return this.#descriptor;
  }

  #cut(): { readonly bytes: Buffer; readonly at: number } {
    const bytes = Buffer.from(this.#pending.join(''));
    const at = this.#position;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#position += bytes.length;
    return { bytes, at };
  }

  /** No process lives on for it: `close` writes what is left. */
  #flushSoon(afterMs: number): void {
    this.#flush ??= setTimeout(() => {
      this.#flush = undefined;
      this.#startWriting();
    }, afterMs).unref();
  }

  #startWriting(): void {
    if (this.#inFlight || this.#pendingBytes === 0 || this.#failure) return;
    let descriptor: number;
    try {
      descriptor = this.#open();
    } catch (error) {
      this.#fail(error);
      return;
    }
    const { bytes, at } = this.#cut();
    this.#inFlightBytes = bytes.length;
    this.#inFlight = this.#writeChunk(descriptor, bytes, at)
      .catch((error: unknown) => this.#fail(error))
      .then(() => {
        this.#inFlightBytes = 0;
        this.#inFlight = undefined;
        if (this.#pendingBytes >= CHUNK_BYTES) this.#startWriting();
      });
  }

  async #writeChunk(descriptor: number, bytes: Buffer, at: number): Promise<void> {
    let written = 0;
    while (written < bytes.length) {
      written += (await writeAt(descriptor, bytes, written, bytes.length - written, at + written))
        .bytesWritten;
    }
  }

  #writeNow(): void {
    try {
      const descriptor = this.#open();
      const { bytes, at } = this.#cut();
      let written = 0;
      while (written < bytes.length) {
        written += writeSync(descriptor, bytes, written, bytes.length - written, at + written);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  /** From the first failure on nothing more is kept: memory stays bounded, and `drained` and `close` throw. */
  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}
