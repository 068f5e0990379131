import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * Bytes that a proxy's handshakes with a relay send, and then some: TCP's are none, TLS 1.3's some 400, the hello is a
 * block of 16,384. The first forward, another block, does not get through whole.
 */
export const PAST_THE_HANDSHAKES_BYTES = 20_000;

/**
 * A relay of bytes in front of a server. Connections from the addresses in `holes` pass that many bytes towards the server
 * and lose every byte of both directions from then on, each connection anew: the document's black hole.
 */
export class BlackHole {
  readonly holes = new Map<string, number>();
  readonly port: number;
  /** Connections that came from each address. */
  readonly connections = new Map<string, number>();
  readonly #close: () => Promise<void>;
  readonly #sockets: Set<Socket>;

  private constructor(port: number, sockets: Set<Socket>, close: () => Promise<void>) {
    this.port = port;
    this.#sockets = sockets;
    this.#close = close;
  }

  static async inFrontOf(
    host: string,
    target: { readonly host: string; readonly port: number },
  ): Promise<BlackHole> {
    const sockets = new Set<Socket>();
    const server = createServer((from) => hole.#relay(from, target));
    server.listen(0, host);
    await once(server, 'listening');
    const hole = new BlackHole((server.address() as AddressInfo).port, sockets, async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    });
    return hole;
  }

  /** Cuts the connections that came from an address. */
  cut(address: string): void {
    for (const socket of this.#sockets) if (socket.remoteAddress === address) socket.destroy();
  }

  close(): Promise<void> {
    return this.#close();
  }

  #relay(from: Socket, target: { readonly host: string; readonly port: number }): void {
    const address = from.remoteAddress ?? '';
    const to = connect(target);
    let passedBytes = 0;
    const lost = (): boolean => passedBytes > (this.holes.get(address) ?? Number.POSITIVE_INFINITY);
    this.connections.set(address, (this.connections.get(address) ?? 0) + 1);
    for (const socket of [from, to]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      // Either end's failure is the other's end.
      socket.on('error', () => socket.destroy());
      socket.once('close', () => {
        this.#sockets.delete(socket);
        from.destroy();
        to.destroy();
      });
    }
    from.on('data', (bytes) => {
      const left = Math.max(0, (this.holes.get(address) ?? Number.POSITIVE_INFINITY) - passedBytes);
      passedBytes += bytes.length;
      if (left > 0) to.write(bytes.subarray(0, Math.min(left, bytes.length)));
    });
    to.on('data', (bytes) => {
      if (!lost()) from.write(bytes);
    });
  }
}
