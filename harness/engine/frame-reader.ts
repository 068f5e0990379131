/** Which of a container's two outputs. */
export type OutputStream = 'stdout' | 'stderr';

const HEADER_BYTES = 8;

/** A frame larger than this is no frame: the engine writes at most 64 KiB or so at once. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/**
 * Takes Docker's multiplexed stream apart, wherever the network cut it.
 *
 * A frame is 1 byte stream (0 stdin, 1 stdout, 2 stderr), 3 zero bytes, 4 bytes big-endian length, payload. Payloads are
 * handed on as they arrive, without waiting for a whole frame, so memory stays bounded by the chunk.
 */
export class FrameReader {
  readonly #onPayload: (stream: OutputStream, payload: Buffer) => void;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerFilled = 0;
  #remaining = 0;
  #stream: OutputStream = 'stdout';

  constructor(onPayload: (stream: OutputStream, payload: Buffer) => void) {
    this.#onPayload = onPayload;
  }

  /** @throws RangeError when the bytes are no frames (for example the raw output of a TTY). */
  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#remaining === 0) {
        const taken = Math.min(HEADER_BYTES - this.#headerFilled, chunk.length - at);
        chunk.copy(this.#header, this.#headerFilled, at, at + taken);
        this.#headerFilled += taken;
        at += taken;
        if (this.#headerFilled < HEADER_BYTES) return;
        this.#startFrame();
        continue;
      }
      const end = Math.min(at + this.#remaining, chunk.length);
      this.#remaining -= end - at;
      this.#onPayload(this.#stream, chunk.subarray(at, end));
      at = end;
    }
  }

  /** True between frames, where a stream may rightly end. */
  get atBoundary(): boolean {
    return this.#remaining === 0 && this.#headerFilled === 0;
  }

  #startFrame(): void {
    const kind = this.#header[0];
    const size = this.#header.readUInt32BE(4);
    const padded = this.#header[1] === 0 && this.#header[2] === 0 && this.#header[3] === 0;
    if (!padded || kind === undefined || kind > 2 || size > MAX_FRAME_BYTES) {
      throw new RangeError(`not a multiplexed stream: header ${this.#header.toString('hex')}`);
    }
    this.#headerFilled = 0;
    this.#remaining = size;
    this.#stream = kind === 2 ? 'stderr' : 'stdout';
  }
}
