import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import type { Clock } from '../../harness/clock/index.ts';
import { x25519Key } from '../../harness/identity/index.ts';
import { boxWith } from './authorization.ts';
import { BlockStream } from './block-stream.ts';
import { encodeServerHello, parseClientHello } from './handshake.ts';
import type { ServerIdentity } from './server-identity.ts';
import { signKey } from './signed-key.ts';
import { VERSIONS } from './sizes.ts';
import { SmpPeer } from './smp-peer.ts';
import { ALPN, TLS_OPTIONS } from './tls.ts';
import { TOO_LATE, withinOrLate } from './within.ts';

export interface ListenerOptions {
  readonly host: string;
  /** 0: whichever is free. */
  readonly port: number;
  readonly identity: ServerIdentity;
  readonly clock: Clock;
  /** How long a client may take for TLS, and again for its hello. */
  readonly helloTimeoutMs: number;
  /** Connections at a time; further ones are cut at once. */
  readonly connectionsMax: number;
  readonly onPeer: (peer: SmpPeer) => void;
  /** Somebody who did not come to a session. */
  readonly onRefused: (from: string, reason: string) => void;
}

export interface SmpListener {
  readonly port: number;
  /** Ends every connection, those in the handshake too. */
  close(): Promise<void>;
}

/** Listens for clients: TLS 1.3, then the hello; whoever passes both becomes a peer. */
export async function createSmpListener(options: ListenerOptions): Promise<SmpListener> {
  const { identity, clock } = options;
  /** Every connection by its client's address and port, and why it did not come through TLS. */
  const sockets = new Map<string, Socket>();
  const reasons = new Map<string, string>();
  const secured = new Set<string>();
  const server = createServer(
    { ...TLS_OPTIONS, cert: identity.chainPem, key: identity.keyPem, ALPNProtocols: [ALPN] },
    (socket) => {
      secured.add(nameOf(socket));
      void welcome(socket, options);
    },
  );
  server.maxConnections = options.connectionsMax;
  // The bare socket, before TLS: whoever never gets through it has to go by the clock that everything else goes by.
  server.on('connection', (socket: Socket) => {
    const from = nameOf(socket);
    sockets.set(from, socket);
    const deadline = clock.after(options.helloTimeoutMs, () => {
      if (secured.has(from)) return;
      reasons.set(from, 'no TLS in time');
      socket.destroy();
    });
    socket.once('close', () => {
      deadline.cancel();
      if (!secured.has(from)) options.onRefused(from, reasons.get(from) ?? 'ended before TLS');
      sockets.delete(from);
      reasons.delete(from);
      secured.delete(from);
    });
  });
  server.on('tlsClientError', (error, socket) => {
    // A socket that is gone has no name any more, and its reason has been told.
    if (sockets.has(nameOf(socket)) && !reasons.has(nameOf(socket)))
      reasons.set(nameOf(socket), error.message);
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets.values()) socket.destroy();
      await closed;
    },
  };
}

async function welcome(socket: TLSSocket, options: ListenerOptions): Promise<void> {
  socket.setNoDelay(true);
  const from = nameOf(socket);
  const stream = new BlockStream(socket);
  const peer = await shakeHands(socket, stream, options);
  if (typeof peer !== 'string') {
    options.onPeer(peer);
    return;
  }
  options.onRefused(from, peer);
  stream.close(peer);
}

/** @returns the peer, or why there is none */
async function shakeHands(
  socket: TLSSocket,
  stream: BlockStream,
  { identity, clock, helloTimeoutMs }: ListenerOptions,
): Promise<SmpPeer | string> {
  const sessionId = socket.getPeerFinished();
  if (socket.alpnProtocol !== ALPN || !sessionId) return 'no SMP in TLS';
  const serverKey = x25519Key(randomBytes(32));
  const signedKey = signKey(serverKey.publicKey, identity.onlineKey);
  stream.send(encodeServerHello({ versions: VERSIONS, sessionId, chain: identity.chain, signedKey }));
  const block = await withinOrLate({ clock, timeoutMs: helloTimeoutMs }, stream.next());
  if (block === TOO_LATE) return 'no hello in time';
  if (block === undefined) return `no hello: ${await stream.closed}`;
  const hello = parseClientHello(block);
  if (!hello) return 'HANDSHAKE PARSE';
  if (!Buffer.from(hello.fingerprint).equals(identity.fingerprint)) return 'HANDSHAKE IDENTITY';
  if (hello.version < VERSIONS.min || hello.version > VERSIONS.max) return 'VERSION';
  const proxyBox = hello.clientKey && boxWith(serverKey, hello.clientKey);
  if (hello.clientKey && !proxyBox) return 'HANDSHAKE BAD_AUTH';
  const from = nameOf(socket);
  return new SmpPeer(stream, { sessionId, version: hello.version, serverKey, proxyBox, from });
}

function nameOf(socket: Socket): string {
  return `${socket.remoteAddress}:${socket.remotePort}`;
}
