import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Clock } from '../../harness/clock/index.ts';
import { type HttpAnswer, type OpenedLayer, SIZE } from '../session-kit/index.ts';

/**
 * Sends what a path carried to a server outside. Its certificate is whatever it is: in the beds of this project nobody signs any, and
 * what is inside is sealed for the server.
 * @returns the server's answer, 504 when it takes too long, 502 when there is none
 */
export function postToServer(
  clock: Clock,
  { protocol, host, port, target, payload }: Extract<OpenedLayer, { kind: 'server' }>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<HttpAnswer> {
  const request = protocol === 'https' ? requestHttps : requestHttp;
  return new Promise((resolve) => {
    const outgoing = request(
      { host, port, path: target, method: 'POST', rejectUnauthorized: false, signal, agent: false },
      (incoming) => {
        const chunks: Buffer[] = [];
        let sizeBytes = 0;
        incoming.on('data', (chunk: Buffer) => {
          sizeBytes += chunk.length;
          if (sizeBytes > SIZE.bodyMaxBytes) outgoing.destroy(new Error('the answer is too large'));
          chunks.push(chunk);
        });
        incoming.on('error', (error) => end({ status: 502, text: error.message }));
        incoming.on('end', () => {
          const type = incoming.headers['content-type'] ?? 'text/plain';
          end({ status: incoming.statusCode ?? 502, type, bytes: Buffer.concat(chunks) });
        });
      },
    );
    const deadline = clock.after(timeoutMs, () => {
      end({ status: 504, text: 'Request time out' });
      outgoing.destroy();
    });
    const end = (answer: HttpAnswer): void => {
      deadline.cancel();
      resolve(answer);
    };
    outgoing.on('error', (error) => end({ status: 502, text: error.message }));
    outgoing.end(payload);
  });
}
