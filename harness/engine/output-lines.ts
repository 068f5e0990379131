import { FrameReader, type OutputStream } from './frame-reader.ts';
import { LineAssembler } from './line-assembler.ts';

/** A container's output stream → complete lines. */
export interface OutputLines {
  push(chunk: Buffer): void;
  /** Emits a last line without newline. */
  end(): void;
}

/** For a TTY the stream is raw and all of it is stdout; otherwise it is multiplexed. */
export function createOutputLines(
  tty: boolean,
  onLine: (stream: OutputStream, line: string) => void,
): OutputLines {
  const stdout = new LineAssembler((line) => onLine('stdout', line), { dropCarriageReturn: tty });
  if (tty) return stdout;
  const stderr = new LineAssembler((line) => onLine('stderr', line));
  const frames = new FrameReader((stream, payload) => {
    (stream === 'stdout' ? stdout : stderr).push(payload);
  });
  return {
    push: (chunk) => frames.push(chunk),
    end: () => {
      stdout.end();
      stderr.end();
    },
  };
}
