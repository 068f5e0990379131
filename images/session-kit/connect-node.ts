import { X509Certificate } from 'node:crypto';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Clock } from '../../harness/clock/index.ts';
import { TransportError } from './transport-error.ts';

/** A peer that is gone without a word is found out by TCP; one that is silent is not. */
const KEEP_ALIVE_MS = 10_000;

/** Where a node is and who it has to be. */
export interface NodeTarget {
  readonly ip: string;
  readonly httpsPort: number;
  /** 64 lower-case hexadecimal digits; its certificate has to be of this key. */
  readonly ed25519: string;
}

export interface ConnectNodeOptions {
  readonly clock: Clock;
  readonly handshakeTimeoutMs: number;
  readonly localAddress?: string | undefined;
  readonly onSocket?: ((socket: Socket) => void) | undefined;
}

/** TCP, TLS 1.3, and a look at who answered. @throws TransportError not-connected, hung-up, handshake-timeout, wrong-node */
export function connectNode(target: NodeTarget, options: ConnectNodeOptions): Promise<TLSSocket> {
  const subject = `${target.ip}:${target.httpsPort}`;
  const { localAddress } = options;
  return new Promise((resolve, reject) => {
    const tcp = connectTcp({
      host: target.ip,
      port: target.httpsPort,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    options.onSocket?.(tcp);
    const tls = connectTls({
      socket: tcp,
      minVersion: 'TLSv1.3',
      // Nobody signs these certificates: the key is what counts, and it is compared below.
      rejectUnauthorized: false,
    });
    const fail = (error: TransportError): void => {
      deadline.cancel();
      tls.destroy();
      tcp.destroy();
      reject(error);
    };
    const deadline = options.clock.after(options.handshakeTimeoutMs, () =>
      fail(new TransportError('handshake-timeout', subject, false)),
    );
    // Listeners stay: an error after the connection is made must not go unheard.
    for (const socket of [tcp, tls]) {
      socket.on('error', (cause) =>
        fail(new TransportError(isOrderlyEnd(cause) ? 'hung-up' : 'not-connected', subject, false, cause)),
      );
      socket.once('close', () => fail(new TransportError('not-connected', subject, false)));
    }
    tls.once('secureConnect', () => {
      if (keyOf(tls) !== target.ed25519) {
        fail(new TransportError('wrong-node', subject, false));
        return;
      }
      deadline.cancel();
      resolve(tls);
    });
  });
}

/** Node's own error for an end of stream where TLS was to come; what the kernel reports names the call that failed. */
function isOrderlyEnd(cause: NodeJS.ErrnoException): boolean {
  return cause.code === 'ECONNRESET' && cause.syscall === undefined;
}

function keyOf(socket: TLSSocket): string | undefined {
  const { raw } = socket.getPeerCertificate() as { readonly raw?: Buffer };
  if (raw === undefined) return undefined;
  const { publicKey } = new X509Certificate(raw);
  if (publicKey.asymmetricKeyType !== 'ed25519') return undefined;
  return publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
}
