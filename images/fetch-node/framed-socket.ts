import type { Socket } from 'node:net';
import { type Message, parseMessage } from './messages.ts';

/** Largest message, its chunk included; the real network has the same bound. */
export const MESSAGE_MAX_BYTES = 10 * 1024 * 1024;
const LENGTHS_BYTES = 8;
/** What a connection takes in before its sender has to wait, as the real node's streams do. */
const SEND_BUFFER_BYTES = 1024 * 1024;

export interface FrameCallbacks {
  onMessage(message: Message, payload: Buffer): void;
  /** Once: why there will be no more. */
  onClosed(reason: string): void;
}

/**
 * Messages on a connection: length of the JSON, length of the payload (32 bits each, big endian), JSON, payload. What is
 * longer than the bound, or no message, ends the connection.
 */
export class FramedSocket {
  readonly #socket: Socket;
  readonly #callbacks: FrameCallbacks;
  #chunks: Buffer[] = [];
  #sizeBytes = 0;
  #wantedBytes = LENGTHS_BYTES;
  #reason = 'closed by the other side';
  #closed = false;

  constructor(socket: Socket, callbacks: FrameCallbacks) {
    this.#socket = socket;
    this.#callbacks = callbacks;
    socket.setNoDelay(true);
    socket.on('data', (data: Buffer) => this.#take(data));
    socket.on('error', (error) => {
      this.#reason = (error as NodeJS.ErrnoException).code ?? error.message;
    });
    socket.on('close', () => {
      if (this.#closed) return;
      this.#closed = true;
      callbacks.onClosed(this.#reason);
    });
  }

  get isOpen(): boolean {
    return !this.#closed && this.#socket.writable;
  }

  /**
   * Resolves when it has left or the connection has taken it in, or is gone. Were it only once the kernel has told of the write,
   * the other side's next request could come before a slot is free that its own answer has left.
   */
  send(message: Message, payload: Uint8Array = Buffer.alloc(0)): Promise<void> {
    if (!this.isOpen) return Promise.resolve();
    const json = Buffer.from(JSON.stringify(message));
    const lengths = Buffer.alloc(LENGTHS_BYTES);
    lengths.writeUInt32BE(json.length, 0);
    lengths.writeUInt32BE(payload.length, 4);
    return new Promise((resolve) => {
      this.#socket.cork();
      this.#socket.write(lengths);
      this.#socket.write(json);
      // Its error comes as the socket's own, and ends the connection.
      this.#socket.write(payload, () => resolve());
      this.#socket.uncork();
      if (this.#socket.writableLength <= SEND_BUFFER_BYTES) resolve();
    });
  }

  /** Ends once what was sent has left. */
  finish(): void {
    this.#socket.destroySoon();
  }

  close(reason: string): void {
    if (!this.#closed) this.#reason = reason;
    this.#socket.destroy();
  }

  #take(data: Buffer): void {
    this.#chunks.push(data);
    this.#sizeBytes += data.length;
    while (!this.#closed && this.#sizeBytes >= this.#wantedBytes) {
      const bytes = Buffer.concat(this.#chunks);
      const [jsonBytes, payloadBytes] = [bytes.readUInt32BE(0), bytes.readUInt32BE(4)];
      const end = LENGTHS_BYTES + jsonBytes + payloadBytes;
      if (end > MESSAGE_MAX_BYTES) {
        this.close(`a message of ${end} bytes came`);
        return;
      }
      this.#chunks = [bytes];
      this.#wantedBytes = end;
      if (bytes.length < end) return;
      const message = parseMessage(bytes.toString('utf8', LENGTHS_BYTES, LENGTHS_BYTES + jsonBytes));
      if (!message) {
        this.close('no message came');
        return;
      }
      const payload = bytes.subarray(LENGTHS_BYTES + jsonBytes, end);
      const rest = bytes.subarray(end);
      this.#chunks = [rest];
      this.#sizeBytes = rest.length;
      this.#wantedBytes = LENGTHS_BYTES;
      this.#callbacks.onMessage(message, payload);
    }
  }
}
