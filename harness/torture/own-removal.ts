import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Engine } from '../engine/index.ts';
import { readImages } from '../image/index.ts';
import { holdWatchdog, startBed } from '../testnet/index.ts';
import { resolveTopology } from '../topology/index.ts';

const TRIO = fileURLToPath(new URL('./scenarios/trio.yaml', import.meta.url));

const measured = new WeakMap<Engine, Promise<number>>();

/** What the orderly removal of the tormented run's bed takes on this engine, ms; measured once. */
export function ownRemovalMs(engine: Engine): Promise<number> {
  let known = measured.get(engine);
  if (!known) {
    known = measure(engine);
    measured.set(engine, known);
  }
  return known;
}

async function measure(engine: Engine): Promise<number> {
  const runId = `own-${randomBytes(3).toString('hex')}`;
  const topology = resolveTopology(TRIO, {}, { images: readImages() });
  // Held beyond the bed, so that its dismissal is no part of the removal.
  const hold = await holdWatchdog(engine, { runId });
  let removed = false;
  try {
    const bed = await startBed({ engine, topology, runId, bedId: `${runId}-1`, seed: '7' });
    const beganMs = performance.now();
    await bed.remove();
    removed = true;
    return performance.now() - beganMs;
  } finally {
    await hold.release({ allRemoved: removed });
  }
}
