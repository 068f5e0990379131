import { setTimeout as sleep } from 'node:timers/promises';
import { connectTo, type Engine, type EngineAddress } from '../engine/index.ts';
import { describeError } from '../errors/index.ts';
import { removeResources } from './remove-resources.ts';
import { LABEL } from './types.ts';
import type { WatchdogOrder } from './watchdog-protocol.ts';

/** An engine that is away (a restart) is waited for this long; what is left then is `squall sweep`'s. */
const PATIENCE_MS = 15 * 60_000;
const RETRY_MS = 500;
/** A request that the owner sent just before it died may still make something after the first empty listing. */
const LISTING_PAUSE_MS = 1_000;

async function sweepOnce(
  engine: Engine,
  order: WatchdogOrder,
  spared: ReadonlySet<string>,
  say: Say,
): Promise<void> {
  const isSpared = (labels: Readonly<Record<string, string>>): boolean => spared.has(labels[LABEL.bed] ?? '');
  const removed = await removeResources(engine, order.labels, {
    emptyListings: 2,
    pauseMs: LISTING_PAUSE_MS,
    ...(spared.size > 0 ? { spare: isSpared } : {}),
  });
  say(`removed ${removed.containers} containers, ${removed.networks} networks, ${removed.volumes} volumes`);
}

/** Tells what is done, for the watchdog's log. */
type Say = (text: string) => void;

/**
 * Removes everything that an order names but the spared beds, and waits for an engine that is away.
 * @throws what kept it from that until its patience ended
 */
export async function sweepAll(order: WatchdogOrder, spared: ReadonlySet<string>, say: Say): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      const engine = await connectTo(addressIn(order));
      try {
        await sweepOnce(engine, order, spared, say);
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
