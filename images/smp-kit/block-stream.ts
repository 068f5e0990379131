import type { Duplex } from 'node:stream';
import { SIZE } from './sizes.ts';

/** Blocks that wait for whoever reads them; beyond that the socket is not read. */
const INBOX_MAX = 4;
/** Blocks that wait to be written before `room` says to wait. */
const OUTBOX_MAX = 64;

interface Outgoing {
  readonly block: Uint8Array;
  readonly wanted: () => boolean;
}

/**
 * Blocks of 16,384 bytes over a socket. It holds a handful of blocks and part of one, whatever the other end does: reading
 * stops while nobody takes what came, and what nobody waits for any more is not written.
 */
export class BlockStream {
  /** Resolves with what ended it, in words. Never rejects. */
  readonly closed: Promise<string>;
  readonly #socket: Duplex;
  #parts: Buffer[] = [];
  #partBytes = 0;
  readonly #inbox: Buffer[] = [];
  readonly #outbox: Outgoing[] = [];
  #reader: (() => void) | undefined;
  #roomSeekers: (() => void)[] = [];
  #end: string | undefined;
  #reason: string | undefined;

  constructor(socket: Duplex) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('drain', () => this.#flush());
    socket.on('error', (error) => {
      this.#reason ??= error.message;
    });
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#end =
          this.#reason ??
          (this.#partBytes > 0 ? `${this.#partBytes} bytes of a block, then the end` : 'ended');
        this.#parts = [];
        this.#outbox.length = 0;
        this.#wake();
        resolve(this.#end);
      });
    });
  }

  get isClosed(): boolean {
    return this.#end !== undefined;
  }

  /** The next block, undefined after the last. One reader at a time. */
  async next(): Promise<Buffer | undefined> {
    while (this.#inbox.length === 0 && !this.isClosed) {
      await new Promise<void>((resolve) => {
        this.#reader = resolve;
      });
    }
    const block = this.#inbox.shift();
    if (this.#inbox.length < INBOX_MAX) this.#socket.resume();
    return block;
  }

  /** Sends in order. @param wanted asked when its turn comes; a block that nobody wants any more is left out */
  send(block: Uint8Array, wanted: () => boolean = () => true): void {
    if (this.isClosed) return;
    this.#outbox.push({ block, wanted });
    this.#flush();
  }

  /** Resolves when what waits to be written is little enough to take on more work for the other end. */
  async room(): Promise<void> {
    while (this.#outbox.length > OUTBOX_MAX && !this.isClosed) {
      await new Promise<void>((resolve) => this.#roomSeekers.push(resolve));
    }
  }

  /** Cuts the connection. */
  close(reason: string): void {
    this.#reason ??= reason;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#partBytes += chunk.length;
    if (this.#partBytes < SIZE.block) return;
    const bytes = Buffer.concat(this.#parts);
    let at = 0;
    for (; bytes.length - at >= SIZE.block; at += SIZE.block) {
      this.#inbox.push(bytes.subarray(at, at + SIZE.block));
    }
    this.#parts = at < bytes.length ? [Buffer.from(bytes.subarray(at))] : [];
    this.#partBytes = bytes.length - at;
    if (this.#inbox.length >= INBOX_MAX) this.#socket.pause();
    this.#wakeReader();
  }

  #flush(): void {
    while (this.#outbox.length > 0 && !this.#socket.writableNeedDrain) {
      const next = this.#outbox.shift();
      if (next?.wanted()) this.#socket.write(next.block);
    }
    if (this.#outbox.length <= OUTBOX_MAX) this.#wakeRoomSeekers();
  }

  #wake(): void {
    this.#wakeReader();
    this.#wakeRoomSeekers();
  }

  #wakeReader(): void {
    this.#reader?.();
    this.#reader = undefined;
  }

  #wakeRoomSeekers(): void {
    for (const seeker of this.#roomSeekers.splice(0)) seeker();
  }
}
