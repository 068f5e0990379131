import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AdminAnswer } from './admin-answer.ts';

const BODY_MAX_BYTES = 1024 ** 2;

class BadRequest extends Error {}

/** Serves JSON on the node's loopback, where no fault reaches. Resolves when it listens. */
export function startAdminServer(
  port: number,
  handle: (request: string, body: unknown) => Promise<AdminAnswer>,
): Promise<Server> {
  const server = createServer((request, response) => {
    answer(request, response, handle).catch((error: unknown) => {
      const status = error instanceof BadRequest ? 400 : 500;
      send(response, { status, body: { error: error instanceof Error ? error.message : String(error) } });
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve(server);
    });
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  handle: (request: string, body: unknown) => Promise<AdminAnswer>,
): Promise<void> {
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const text = await readBody(request);
  send(response, await handle(`${request.method} ${path}`, parseBody(text)));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > BODY_MAX_BYTES) throw new BadRequest(`the body has more than ${BODY_MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseBody(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BadRequest(`the body is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function send(response: ServerResponse, { status, body }: AdminAnswer): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
