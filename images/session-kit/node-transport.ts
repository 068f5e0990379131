import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../harness/clock/index.ts';
import { connectNode, type NodeTarget } from './connect-node.ts';
import { SocketBytes } from './socket-bytes.ts';
import { TransportError, type TransportFault } from './transport-error.ts';

export interface TransportOptions {
  readonly clock: Clock;
  /** TCP and TLS together. */
  readonly handshakeTimeoutMs: number;
  /** The address to speak from. */
  readonly localAddress?: string;
  /** Of an answer's body; 16 MiB by default. */
  readonly answerMaxBytes?: number;
  /** Connections to one node at a time; further requests wait for one. 8 by default. */
  readonly connectionsPerNode?: number;
}

export interface RequestOptions {
  /** From now to the end of the answer, connecting included; infinite: as long as the connection lives. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TransportAnswer {
  readonly status: number;
  /** As the node wrote it: `application/json`, `text/plain`, … */
  readonly type: string;
  readonly body: Buffer;
  /** It came over a connection that was open before this request. */
  readonly reused: boolean;
}

type TargetOptions = { readonly target?: NodeTarget };

/** Connections of one client to nodes: kept open and used again, each with the node whose key was asked for and no other. */
export class NodeTransport {
  readonly #options: TransportOptions;
  readonly #bytes = new SocketBytes();
  readonly #closing = new AbortController();
  readonly #agent: Agent;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#agent = new NodeAgent(options, this.#bytes);
  }

  get closed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Bytes on the wire since the start, TLS included. */
  bytes(): { readonly received: number; readonly sent: number } {
    return this.#bytes.total();
  }

  /**
   * One request and its answer, whatever its status.
   * @throws TransportError when there is no answer, exactly once
   */
  request(
    target: NodeTarget,
    path: string,
    body: Uint8Array | string,
    options: RequestOptions,
  ): Promise<TransportAnswer> {
    const subject = `${target.ip}:${target.httpsPort}${path}`;
    const { timeoutMs, signal, method = 'POST', headers } = options;
    return new Promise((resolve, reject) => {
      if (this.closed) throw new TransportError('closed', subject, false);
      if (signal?.aborted) throw new TransportError('aborted', subject, false);
      let connected = false;
      const targeted: TargetOptions = { target };
      const outgoing = requestHttps({
        ...targeted,
        agent: this.#agent,
        host: target.ip,
        port: target.httpsPort,
        method,
        path,
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      });
      const fail = (fault: TransportFault, cause?: unknown): void => {
        cleanUp();
        outgoing.destroy();
        reject(
          cause instanceof TransportError ? cause : new TransportError(fault, subject, connected, cause),
        );
      };
      const deadline = this.#options.clock.after(timeoutMs, () => fail('timeout'));
      const onClose = (): void => fail('closed');
      const onAbort = (): void => fail('aborted');
      // One listener for each request under way, which may be hundreds; each takes its own away.
      setMaxListeners(0, this.#closing.signal, ...(signal ? [signal] : []));
      this.#closing.signal.addEventListener('abort', onClose, { once: true });
      signal?.addEventListener('abort', onAbort, { once: true });
      const cleanUp = (): void => {
        deadline.cancel();
        this.#closing.signal.removeEventListener('abort', onClose);
        signal?.removeEventListener('abort', onAbort);
      };
      outgoing.once('socket', () => {
        connected = true;
      });
      outgoing.on('error', (error) => fail('disconnected', error));
      outgoing.once('response', (incoming) => {
        readAnswer(incoming, this.#options.answerMaxBytes ?? 16 * 1024 ** 2).then(
          (bytes) => {
            cleanUp();
            resolve({
              status: incoming.statusCode ?? 0,
              type: incoming.headers['content-type'] ?? '',
              body: bytes,
              reused: outgoing.reusedSocket,
            });
          },
          (error: unknown) => fail(error instanceof TooLarge ? 'answer-too-large' : 'disconnected', error),
        );
      });
      outgoing.end(body);
    });
  }

  /**
   * Cuts every connection, those being made included; every request under way ends with `closed`. Requests from now on end
   * at once in the same way.
   */
  close(): void {
    this.#closing.abort();
    this.#agent.destroy();
  }
}

class TooLarge extends Error {}

async function readAnswer(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw new TooLarge(`more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Makes authenticated connections, and keeps those of different keys at one address apart. */
class NodeAgent extends Agent {
  readonly #options: TransportOptions;
  readonly #bytes: SocketBytes;
  readonly #connecting = new Set<Duplex>();

  constructor(options: TransportOptions, bytes: SocketBytes) {
    super({
      keepAlive: true,
      maxSockets: options.connectionsPerNode ?? 8,
      maxFreeSockets: options.connectionsPerNode ?? 8,
    });
    this.#options = options;
    this.#bytes = bytes;
  }

  override getName(options?: TargetOptions & Parameters<Agent['getName']>[0]): string {
    return `${options?.target?.ip}:${options?.target?.httpsPort}:${options?.target?.ed25519}`;
  }

  override createConnection(
    options: unknown,
    callback?: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const { target } = options as Required<TargetOptions>;
    let connecting: Duplex | undefined;
    connectNode(target, {
      ...this.#options,
      onSocket: (socket) => {
        this.#bytes.add(socket);
        connecting = socket;
        this.#connecting.add(socket);
      },
    })
      .then(
        (socket) => callback?.(null, socket),
        // Node's own types have no way to say that there is no socket with an error.
        (error: Error) => callback?.(error, undefined as never),
      )
      .finally(() => {
        if (connecting) this.#connecting.delete(connecting);
      });
  }

  override destroy(): void {
    for (const socket of this.#connecting) socket.destroy();
    super.destroy();
  }
}
