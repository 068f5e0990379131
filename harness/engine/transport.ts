import { Agent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest, Agent as TlsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { inspect } from 'node:util';
import Dockerode from 'dockerode';
import { SquallError } from '../errors/index.ts';
import type { Endpoint } from './endpoint.ts';

/** Free connections kept for the next call; more are opened as needed. Idle ones do not keep the process alive. */
const MAX_FREE_SOCKETS = 16;

/** The bare HTTP side of an endpoint: what dockerode does not do well is done here. */
export interface Transport {
  readonly endpoint: Endpoint;
  readonly agent: Agent;
  options(method: string, path: string): RequestOptions;
}

export function createTransport(endpoint: Endpoint): Transport {
  const keep = { keepAlive: true, maxFreeSockets: MAX_FREE_SOCKETS };
  const agent = endpoint.kind === 'tcp' && endpoint.tls ? new TlsAgent(keep) : new Agent(keep);
  // docker-modem prints its request options, this agent included, to unlimited depth before each request, whether or
  // not its debugging is on. With hundreds of followed streams that took 90 % of the harness's time.
  Object.defineProperty(agent, inspect.custom, { value: () => `[agent of ${endpoint.text}]` });
  return {
    endpoint,
    agent,
    options: (method, path) =>
      endpoint.kind === 'unix'
        ? { socketPath: endpoint.path, method, path, agent }
        : { host: endpoint.host, port: endpoint.port, method, path, agent, ...(endpoint.tls ?? {}) },
  };
}

function open(
  transport: Transport,
  options: RequestOptions,
  onResponse: (response: IncomingMessage) => void,
) {
  const secure = transport.endpoint.kind === 'tcp' && transport.endpoint.tls !== undefined;
  return (secure ? httpsRequest : httpRequest)(options, onResponse);
}

/**
 * One small GET, before any API version is known.
 * @returns status and body; a connection that fails rejects with the system's error.
 */
export function get(
  transport: Transport,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const request = open(transport, { ...transport.options('GET', path), signal }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
        if (body.length > 1_000_000) response.destroy(new Error('answer larger than 1 MB'));
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.on('error', reject);
    request.end();
  });
}

/**
 * Takes over the connection of a request (attach, exec). Written by hand rather than through dockerode, which sends its
 * options as a body that can end up on the container's standard input.
 * @throws SquallError `engine-refused` with the engine's text when it does not switch over.
 */
export function hijack(
  transport: Transport,
  path: string,
  body: string | undefined,
  signal?: AbortSignal,
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, string | number> = {
      Connection: 'Upgrade',
      Upgrade: 'tcp',
      'Content-Length': body === undefined ? 0 : Buffer.byteLength(body),
    };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    // A connection of its own: it does not go back to the pool.
    const options = { ...transport.options('POST', path), headers, ...(signal ? { signal } : {}) };
    const request = open(transport, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk.slice(0, 10_000 - Math.min(10_000, text.length));
      });
      response.on('error', reject);
      response.on('end', () => {
        reject(
          Object.assign(new Error(text.trim() || `HTTP ${response.statusCode}`), {
            statusCode: response.statusCode,
          }),
        );
      });
    });
    request.on('upgrade', (_response, socket: Duplex, head: Buffer) => {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** dockerode on this endpoint, deaf to DOCKER_HOST and its kin (they were looked at once, by `findEngine`). */
export function createDockerode(transport: Transport, apiVersion: string): Dockerode {
  const { endpoint, agent } = transport;
  const place =
    endpoint.kind === 'unix'
      ? { socketPath: endpoint.path, host: undefined, port: undefined, protocol: 'http' }
      : {
          socketPath: undefined,
          host: endpoint.host,
          port: endpoint.port,
          protocol: endpoint.tls ? 'https' : 'http',
        };
  const tls =
    endpoint.kind === 'tcp' && endpoint.tls
      ? endpoint.tls
      : { ca: undefined, cert: undefined, key: undefined };
  const options = { ...place, ...tls, agent, timeout: undefined, version: `v${apiVersion}`, pathPrefix: '/' };
  return new Dockerode(options as unknown as Dockerode.DockerOptions);
}

/** A reason for people out of what a failed connection threw. */
export function connectionReason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return 'there is no such socket';
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  if (code === 'EACCES' || code === 'EPERM')
    return 'permission denied (are you in the group that owns the socket?)';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host name cannot be resolved';
  if ((error as Error).name === 'TimeoutError') return 'it did not answer in time';
  if (error instanceof SquallError) return error.message;
  return error instanceof Error ? error.message || String(code) : String(error);
}
