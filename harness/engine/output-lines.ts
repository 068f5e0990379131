import { FrameReader, type OutputStream } from './frame-reader.ts';
import { LineAssembler } from './line-assembler.ts';

/**
 * A container's output stream → complete lines. For a TTY the stream is raw and all of it is stdout; otherwise it is
 * multiplexed.
 */
export class OutputLines {
  readonly #tty: boolean;
  readonly #assemblers: Readonly<Record<OutputStream, LineAssembler>>;
  readonly #received: Record<OutputStream, number> = { stdout: 0, stderr: 0 };
  readonly #skip: Record<OutputStream, number> = { stdout: 0, stderr: 0 };
  #frames: FrameReader;

  constructor(tty: boolean, onLine: (stream: OutputStream, line: string) => void) {
    this.#tty = tty;
    this.#assemblers = {
      stdout: new LineAssembler((line) => onLine('stdout', line), { dropCarriageReturn: tty }),
      stderr: new LineAssembler((line) => onLine('stderr', line)),
    };
    this.#frames = this.#newFrames();
  }

  /** Bytes of output so far, both streams. */
  get receivedBytes(): number {
    return this.#received.stdout + this.#received.stderr;
  }

  push(chunk: Buffer): void {
    if (this.#tty) this.#take('stdout', chunk);
    else this.#frames.push(chunk);
  }

  /** The same output comes again from its beginning: what was received already is passed over. */
  rewind(): void {
    this.#frames = this.#newFrames();
    for (const stream of ['stdout', 'stderr'] as const) {
      this.#skip[stream] = this.#received[stream];
    }
  }

  /** Emits a last line without newline. */
  end(): void {
    this.#assemblers.stdout.end();
    this.#assemblers.stderr.end();
  }

  #newFrames(): FrameReader {
    return new FrameReader((stream, payload) => this.#take(stream, payload));
  }

  #take(stream: OutputStream, payload: Buffer): void {
    const passed = Math.min(this.#skip[stream], payload.length);
    this.#skip[stream] -= passed;
    if (passed === payload.length) return;
    this.#received[stream] += payload.length - passed;
    this.#assemblers[stream].push(passed > 0 ? payload.subarray(passed) : payload);
  }
}
