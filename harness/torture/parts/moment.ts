import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededStream } from '../../random/index.ts';
import type { Truth } from '../part.ts';
import type { SubjectRun } from '../subject-run.ts';
import type { World } from '../world.ts';

/** A run takes about this long on the reference machine; moments are drawn from it, and a little beyond it. */
const RUN_MS = 16_000;

export const drawTruth = (chance: SeededStream): Truth => (chance.integer(2) === 0 ? 'sound' : 'broken');
export const drawMoment = (chance: SeededStream, mostMs = RUN_MS): number =>
  Math.round(chance.next() * mostMs);

/** Waits for the moment, or for the run's end when that comes first. @returns whether the run lives then */
export async function atMoment(world: World, run: SubjectRun, momentMs: number): Promise<boolean> {
  const tooLate = new AbortController();
  const signal = AbortSignal.any([world.signal, tooLate.signal]);
  const moment = sleep(momentMs, undefined, { signal }).catch((error: unknown) => {
    if (!tooLate.signal.aborted) throw error;
  });
  await Promise.race([moment, run.ended]);
  tooLate.abort();
  return run.lives;
}

/** Looks again and again, while the run lives, until there is something. */
export async function whileItLives<T>(
  world: World,
  run: SubjectRun,
  look: () => Promise<T | undefined> | T | undefined,
  everyMs = 50,
): Promise<T | undefined> {
  while (run.lives) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(everyMs, undefined, { signal: world.signal });
  }
  return undefined;
}
