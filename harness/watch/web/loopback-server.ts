import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SquallError } from '../../errors/index.ts';

export const LOOPBACK = '127.0.0.1';

/** @throws SquallError `watch-port-taken` (input) */
export async function listenOnLoopback(
  port: number,
  listener: RequestListener,
): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(
        new SquallError(
          `port ${port} of ${LOOPBACK}: could not be opened (${cause.code}); expected a free one.`,
          {
            code: 'watch-port-taken',
            blame: 'input',
            cause,
            hint: 'Leave the port out, and a free one is taken.',
          },
        ),
      );
    });
    server.listen(port, LOOPBACK, resolve);
  });
  return { server, port: (server.address() as AddressInfo).port };
}

export async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

/** No name of the outside that is made to point here (DNS rebinding) gets an answer. */
export function isLoopbackHost(host: string | undefined, port: number): boolean {
  return host === `${LOOPBACK}:${port}` || host === `localhost:${port}`;
}
