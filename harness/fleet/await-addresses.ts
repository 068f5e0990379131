import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SquallError } from '../errors/index.ts';

const LOOK_EVERY_MS = 25;
const DEFAULT_WITHIN_MS = 30_000;

/**
 * Waits until every address can be bound: they are added once the container's process runs and is known to the agent.
 * @throws SquallError `fleet-not-addressed` that names the first one missing
 */
export async function awaitAddresses(
  addresses: readonly string[],
  options: { readonly signal: AbortSignal; readonly withinMs?: number },
): Promise<void> {
  const withinMs = options.withinMs ?? DEFAULT_WITHIN_MS;
  const deadlineMs = performance.now() + withinMs;
  for (const address of addresses) {
    while (!(await canBind(address))) {
      if (performance.now() > deadlineMs) {
        throw new SquallError(
          `fleet: ${address} cannot be bound; expected all ${addresses.length} addresses within ${withinMs} ms`,
          {
            code: 'fleet-not-addressed',
            facts: { address, addresses: addresses.length },
            hint: 'Beds add them by the packet agent when the node is enrolled; elsewhere add them by hand.',
          },
        );
      }
      await sleep(LOOK_EVERY_MS, undefined, { signal: options.signal });
    }
  }
}

async function canBind(address: string): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(0, address);
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRNOTAVAIL') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}
