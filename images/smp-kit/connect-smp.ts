import { randomBytes } from 'node:crypto';
import { connect, type TLSSocket } from 'node:tls';
import type { Clock } from '../../harness/clock/index.ts';
import { x25519Key } from '../../harness/identity/index.ts';
import { boxWith } from './authorization.ts';
import { BlockStream } from './block-stream.ts';
import { type ClientFailure, SmpClientError } from './client-error.ts';
import { encodeClientHello, parseServerHello, type ServerHello } from './handshake.ts';
import type { KeepAlive } from './keep-alive.ts';
import { publicHost, type ServerAddress, SMP_PORT } from './server-address.ts';
import { onlineKeyOf, openSignedKey } from './signed-key.ts';
import { sharedVersions, VERSIONS } from './sizes.ts';
import { type ConnectionListeners, type SessionFacts, SmpConnection } from './smp-connection.ts';
import { ALPN, TLS_OPTIONS } from './tls.ts';
import { within } from './within.ts';

export interface ConnectOptions extends ConnectionListeners {
  readonly address: ServerAddress;
  readonly clock: Clock;
  /** For all of it: TCP, TLS and the hello. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Address to connect from. */
  readonly localAddress?: string;
  /** Connects as a proxy does: with a key of its own, for the box between proxy and relay. */
  readonly asProxy?: boolean;
  readonly keepAlive?: KeepAlive;
}

/**
 * Connects to a server and says hello: TLS 1.3 to the server with that fingerprint and nobody else.
 * @throws SmpClientError `smp-host`, `smp-network` (a timeout too) or `smp-transport` · the signal's reason
 */
export async function connectSmp(options: ConnectOptions): Promise<SmpConnection> {
  const { address, clock, timeoutMs, signal } = options;
  const subject = `connecting to ${address.hosts[0]}:${address.port}`;
  const host = publicHost(address.hosts);
  if (host === undefined) throw new SmpClientError(subject, { kind: 'host' });
  signal?.throwIfAborted();
  const socket = connect({
    ...TLS_OPTIONS,
    host,
    port: Number(address.port || SMP_PORT),
    ALPNProtocols: [ALPN],
    servername: '',
    // The fingerprint says who it is, not a name: it is checked with the server's hello.
    rejectUnauthorized: false,
    ...(options.localAddress === undefined ? {} : { localAddress: options.localAddress }),
  });
  socket.setNoDelay(true);
  const stream = new BlockStream(socket);
  try {
    const shaking = shakeHands(socket, stream, options);
    const facts = await within({ clock, timeoutMs, signal }, shaking, () => {
      return new SmpClientError(subject, { kind: 'network', detail: `nothing within ${timeoutMs} ms` });
    });
    if ('kind' in facts) throw new SmpClientError(subject, facts);
    return new SmpConnection(stream, facts, clock, options, options.keepAlive);
  } catch (error) {
    stream.close('the handshake came to nothing');
    throw error;
  }
}

async function shakeHands(
  socket: TLSSocket,
  stream: BlockStream,
  options: ConnectOptions,
): Promise<SessionFacts | ClientFailure> {
  const secure = new Promise<'secure'>((resolve) => socket.once('secureConnect', () => resolve('secure')));
  const end = await Promise.race([secure, stream.closed]);
  if (end !== 'secure') return { kind: 'network', detail: end };
  if (socket.alpnProtocol !== ALPN) return { kind: 'transport', transport: 'VERSION' };
  const block = await stream.next();
  if (!block) return { kind: 'network', detail: await stream.closed };
  const hello = parseServerHello(block);
  if (!hello) return { kind: 'transport', transport: 'HANDSHAKE PARSE' };
  return agree(socket, stream, hello, options);
}

function agree(
  socket: TLSSocket,
  stream: BlockStream,
  hello: ServerHello,
  { address, asProxy }: ConnectOptions,
): SessionFacts | ClientFailure {
  const finished = socket.getFinished();
  if (!finished || !Buffer.from(hello.sessionId).equals(finished)) {
    return { kind: 'transport', transport: 'SESSION' };
  }
  const presented = socket.getPeerX509Certificate()?.raw;
  const isServers = presented !== undefined && Buffer.from(hello.chain[0] ?? []).equals(presented);
  if (!isServers || !onlineKeyOf(hello.chain, address.fingerprint)) {
    return { kind: 'network', detail: 'a certificate of another server' };
  }
  const serverKey = openSignedKey(hello.chain, hello.signedKey, address.fingerprint);
  if (!serverKey) return { kind: 'transport', transport: 'HANDSHAKE BAD_AUTH' };
  const versions = sharedVersions(hello.versions, VERSIONS);
  if (!versions) return { kind: 'transport', transport: 'VERSION' };
  const own = asProxy ? x25519Key(randomBytes(32)) : undefined;
  const proxyBox = own && boxWith(own, serverKey);
  if (own && !proxyBox) return { kind: 'crypto' };
  const version = versions.max;
  stream.send(encodeClientHello({ version, fingerprint: address.fingerprint, clientKey: own?.publicKey }));
  return {
    address,
    version,
    session: { ...hello, chain: hello.chain.map((der) => Uint8Array.from(der)) },
    serverKey,
    proxyBox,
    localAddress: socket.localAddress ?? '',
  };
}
