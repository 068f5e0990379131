import type { Socket } from 'node:net';

/** Counts what went over TCP sockets, those that are gone included. */
export class SocketBytes {
  readonly #open = new Set<Socket>();
  #received = 0;
  #sent = 0;

  /** @param socket the TCP socket, not the TLS one: what counts is what is on the wire, headers below TCP aside */
  add(socket: Socket): void {
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#received += socket.bytesRead;
      this.#sent += socket.bytesWritten;
    });
  }

  total(): { readonly received: number; readonly sent: number } {
    let [received, sent] = [this.#received, this.#sent];
    for (const socket of this.#open) {
      received += socket.bytesRead;
      sent += socket.bytesWritten;
    }
    return { received, sent };
  }
}
