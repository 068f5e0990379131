import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type HttpAnswer, written } from './http-answer.ts';
import type { NodeIdentity } from './service-node.ts';
import { SIZE } from './sizes.ts';
import { SocketBytes } from './socket-bytes.ts';

/** A request as a node's listener hands it on: read in full, believed in nothing. */
export interface ListenerRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
  /** Address of the client. */
  readonly from: string;
  /** One number for each connection, from 1. */
  readonly connection: number;
}

export interface ListenerOptions {
  readonly host: string;
  /** 0: whichever is free. */
  readonly port: number;
  readonly identity: NodeIdentity;
  readonly onRequest: (request: ListenerRequest) => HttpAnswer | Promise<HttpAnswer>;
  /** A connection that is gone. */
  readonly onClosed?: (connection: number) => void;
  /** Something that went wrong with a connection, for a person to read. */
  readonly onTrouble: (text: string) => void;
  /** 10 MiB by default; a longer body is answered 413 and the connection cut. */
  readonly bodyMaxBytes?: number;
  /** Connections at a time; further ones are cut at once. 4,096 by default. */
  readonly connectionsMax?: number;
}

export interface NodeListener {
  readonly port: number;
  /** Bytes as they went over TCP, TLS included, of all connections since the start. */
  bytes(): { readonly received: number; readonly sent: number };
  readonly connections: number;
  /** Cuts every connection. */
  close(): Promise<void>;
}

class TooLarge extends Error {}

/** HTTPS with the node's own certificate. A client that knows the node's Ed25519 key knows whom it speaks to. */
export async function createNodeListener(options: ListenerOptions): Promise<NodeListener> {
  const { certificate } = options.identity;
  const bytes = new SocketBytes();
  const numbers = new WeakMap<Socket, number>();
  const open = new Set<Socket>();
  let lastNumber = 0;

  const server = createServer(
    // Connections stay until somebody ends them: what happens to one must not hang on how long it was idle.
    { cert: certificate.pem, key: certificate.keyPem, minVersion: 'TLSv1.3', keepAliveTimeout: 0 },
    (request, response) => {
      const connection = numbers.get(request.socket) ?? 0;
      answer(request, response, connection, options).catch((error: unknown) => {
        if (!(error instanceof TooLarge)) {
          options.onTrouble(`request of ${request.socket.remoteAddress}: ${String(error)}`);
        }
        if (response.headersSent || response.destroyed) request.socket.destroy();
        else endWith(response, error instanceof TooLarge ? 413 : 500);
      });
    },
  );
  server.maxConnections = options.connectionsMax ?? 4_096;
  server.on('connection', (socket: Socket) => {
    bytes.add(socket);
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    // A client that goes away in the middle of anything is no trouble of ours.
    socket.on('error', () => socket.destroy());
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    lastNumber += 1;
    const number = lastNumber;
    numbers.set(socket, number);
    socket.once('close', () => options.onClosed?.(number));
  });
  server.on('clientError', (_, socket) => socket.destroy());
  server.listen(options.port, options.host);
  await once(server, 'listening');
  server.on('error', (error) => options.onTrouble(`listener: ${error.message}`));
  return {
    port: (server.address() as AddressInfo).port,
    bytes: () => bytes.total(),
    get connections() {
      return open.size;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  connection: number,
  options: ListenerOptions,
): Promise<void> {
  const body = await readBody(request, options.bodyMaxBytes ?? SIZE.bodyMaxBytes);
  const made = await options.onRequest({
    method: request.method ?? '',
    path: (request.url ?? '/').split('?')[0] ?? '/',
    body,
    headers: request.headers,
    from: request.socket.remoteAddress ?? '',
    connection,
  });
  if (made === 'cut') {
    request.socket.destroy();
    return;
  }
  if (response.destroyed) return;
  const { status, type, bytes } = written(made);
  const more = 'text' in made ? made.headers : undefined;
  response.writeHead(status, { ...more, 'content-type': type, 'content-length': bytes.length });
  response.end(bytes);
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw new TooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function endWith(response: ServerResponse, status: 413 | 500): void {
  const text = status === 413 ? 'body too large' : 'request failed';
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
  response.end(text);
}
