/**
 * The watchdog: a process of its own session that holds a pipe to a run's owner and does nothing until the pipe
 * closes, which happens however the owner ends. Then it removes all that carries the run's label and leaves after two
 * empty listings. Run as a program: `node --import tsx watchdog.ts`, its orders on standard input.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectTo, type Engine, type EngineAddress } from '../engine/index.ts';
import { describeError } from '../errors/index.ts';
import { removeResources } from './remove-resources.ts';
import { LABEL } from './types.ts';
import { WATCHDOG_READY, type WatchdogOrder, watchdogCommand, watchdogOrder } from './watchdog-protocol.ts';

/** An engine that is away (a restart) is waited for this long; what is left then is `squall sweep`'s. */
const PATIENCE_MS = 15 * 60_000;
const RETRY_MS = 500;
/** A request that the owner sent just before it died may still make something after the first empty listing. */
const LISTING_PAUSE_MS = 1_000;

function say(text: string): void {
  process.stderr.write(`${new Date().toISOString()} watchdog ${process.pid}: ${text}\n`);
}

async function sweepOnce(engine: Engine, order: WatchdogOrder, spared: ReadonlySet<string>): Promise<void> {
  const isSpared = (labels: Readonly<Record<string, string>>): boolean => spared.has(labels[LABEL.bed] ?? '');
  const removed = await removeResources(engine, order.labels, {
    emptyListings: 2,
    pauseMs: LISTING_PAUSE_MS,
    ...(spared.size > 0 ? { spare: isSpared } : {}),
  });
  say(`removed ${removed.containers} containers, ${removed.networks} networks, ${removed.volumes} volumes`);
}

async function sweepAll(order: WatchdogOrder, spared: ReadonlySet<string>): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      const engine = await connectTo(addressIn(order));
      try {
        await sweepOnce(engine, order, spared);
        return;
      } finally {
        engine.close();
      }
    } catch (error) {
      say(describeError(error));
      if (performance.now() > giveUpAt) throw error;
      await sleep(RETRY_MS);
    }
  }
}

function addressIn({ endpoint, certificatesDir }: WatchdogOrder): EngineAddress {
  return { endpoint, ...(certificatesDir !== undefined && { certificatesDir }) };
}

async function main(): Promise<void> {
  // The terminal's signals are for the owner; a watchdog that died of them could not clean up behind it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGPIPE'] as const)
    process.on(signal, () => undefined);
  // The owner may be gone before it hears that we stand: that is what we are here for.
  process.stdout.on('error', () => undefined);
  const spared = new Set<string>();
  let order: WatchdogOrder | undefined;
  let dismissed = false;
  for await (const line of createInterface({ input: process.stdin })) {
    if (!order) {
      order = watchdogOrder.parse(JSON.parse(line));
      process.stdout.write(`${WATCHDOG_READY}\n`);
      continue;
    }
    const command = watchdogCommand.parse(JSON.parse(line));
    if ('spare' in command) spared.add(command.spare);
    else dismissed = true;
    if (dismissed) break;
  }
  if (!order || dismissed) return;
  say(`owner ${order.parentPid} is gone; sweeping ${order.labels.join(', ')}`);
  await sweepAll(order, spared);
}

await main().catch((error: unknown) => {
  say(describeError(error));
  process.exitCode = 4;
});
// Standard input may still be open after a dismissal; nothing else is left to do.
process.stdin.destroy();
