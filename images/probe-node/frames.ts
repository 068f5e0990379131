import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';

/** What goes between client and relay: one JSON object a line. */
export type Frame =
  | { readonly kind: 'hello'; readonly client: string }
  | { readonly kind: 'send'; readonly id: number; readonly message: string; readonly to: string }
  /** 200 taken, 421 not here. */
  | { readonly kind: 'answer'; readonly id: number; readonly status: number }
  | { readonly kind: 'deliver'; readonly message: string };

export function writeFrame(socket: Duplex, frame: Frame): void {
  socket.write(`${JSON.stringify(frame)}\n`);
}

/** Calls back for each frame; a line that is none ends the connection. */
export function onFrames(socket: Duplex, onFrame: (frame: Frame) => void): void {
  const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY });
  // The socket's errors come here too; whoever opened it hears them from itself.
  lines.on('error', () => lines.close());
  lines.on('line', (line) => {
    let frame: Frame;
    try {
      frame = JSON.parse(line) as Frame;
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    onFrame(frame);
  });
}
