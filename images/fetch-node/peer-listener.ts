import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { FramedSocket } from './framed-socket.ts';
import type { Message } from './messages.ts';
import type { Transport } from './transport.ts';

export type Hello = Extract<Message, { readonly kind: 'hello' }>;

/** Somebody who has said who it is. */
export interface Caller {
  readonly hello: Hello;
  /** Resolves when it has left or the connection is gone. */
  send(message: Message, payload?: Uint8Array): Promise<void>;
}

export interface ListenerPorts {
  readonly transport: Transport;
  readonly host: string;
  readonly port: number;
  /** What callers are greeted with. */
  readonly hello: Hello;
  knows(name: string): boolean;
  onHello(hello: Hello): void;
  onMessage(caller: Caller, message: Message): void;
}

export interface PeerListener {
  readonly port: number;
  close(): Promise<void>;
}

/** Takes connections. The first word of each is its hello, from a node of the run; anything else ends it. */
export async function listenToPeers(ports: ListenerPorts): Promise<PeerListener> {
  const sockets = new Set<Socket>();
  const server = ports.transport.listen((socket) => {
    let caller: Caller | undefined;
    const framed = new FramedSocket(socket, {
      onMessage: (message) => {
        if (caller) ports.onMessage(caller, message);
        else if (message.kind === 'hello' && ports.knows(message.name)) {
          caller = { hello: message, send: (answer, payload) => framed.send(answer, payload) };
          void framed.send(ports.hello);
          ports.onHello(message);
        } else framed.close('no hello of a node of this run');
      },
      onClosed: () => undefined,
    });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(ports.port, ports.host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
