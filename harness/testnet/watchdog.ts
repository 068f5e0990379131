/**
 * The watchdog: a process of its own session that holds a pipe to a run's owner and does nothing until the pipe
 * closes, which happens however the owner ends. Then it removes all that carries the run's label and leaves after two
 * empty listings. Run as a program: `node --import tsx watchdog.ts`, its orders on standard input.
 */
import { createInterface } from 'node:readline';
import { describeError } from '../errors/index.ts';
import { WATCHDOG_READY, type WatchdogOrder, watchdogCommand, watchdogOrder } from './watchdog-protocol.ts';

function say(text: string): void {
  process.stderr.write(`${new Date().toISOString()} watchdog ${process.pid}: ${text}\n`);
}

async function main(): Promise<void> {
  // The terminal's signals are for the owner; a watchdog that died of them could not clean up behind it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGPIPE'] as const)
    process.on(signal, () => undefined);
  // The owner may be gone before it hears that we stand: that is what we are here for.
  process.stdout.on('error', () => undefined);
  const spared = new Set<string>();
  let order: WatchdogOrder | undefined;
  // The owner waits for `ready` before it creates anything. What the sweep needs takes as long again to load, and is
  // loaded at once then, not at the sweep: the files may have changed by that time.
  let tools: Promise<typeof import('./sweep-order.ts')> | undefined;
  let dismissed = false;
  for await (const line of createInterface({ input: process.stdin })) {
    if (!order) {
      order = watchdogOrder.parse(JSON.parse(line));
      process.stdout.write(`${WATCHDOG_READY}\n`);
      tools = import('./sweep-order.ts');
      tools.catch(() => undefined); // Thrown by the sweep that needs them.
      continue;
    }
    const command = watchdogCommand.parse(JSON.parse(line));
    if ('spare' in command) spared.add(command.spare);
    else dismissed = true;
    if (dismissed) break;
  }
  if (!order || !tools || dismissed) return;
  say(`owner ${order.parentPid} is gone; sweeping ${order.labels.join(', ')}`);
  const { sweepAll } = await tools;
  await sweepAll(order, spared, say);
}

await main().catch((error: unknown) => {
  say(describeError(error));
  process.exitCode = 4;
});
// Standard input may still be open after a dismissal; nothing else is left to do.
process.stdin.destroy();
