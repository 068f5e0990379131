import type { Engine } from '../engine/index.ts';
import { describeError } from '../errors/index.ts';
import { stream } from '../random/index.ts';
import type { AttemptLedger } from './ledger.ts';
import type { Attempt, Part } from './part.ts';
import { inWorld } from './world.ts';

export interface AttemptsRequest {
  readonly ledger: AttemptLedger;
  readonly seed: string;
  readonly times: number;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/** A random moment may lie beyond the end of a run; what met nothing is made up for, within this many attempts. */
const mostAttempts = (times: number): number => 2 * times + 4;

/** How many attempts of a part are still to be made, by those there are: one that went wrong is not made up for. */
export function stillWanted(
  entries: readonly { readonly met: boolean; readonly problems: readonly string[] }[],
  times: number,
): number {
  const settled = entries.filter(({ met, problems }) => met || problems.length > 0).length;
  return Math.max(0, Math.min(times - settled, mostAttempts(times) - entries.length));
}

/**
 * The attempts of a part that are not in the ledger yet, one after another, until so many as are wanted have met what they
 * were meant for. An error of ours is a problem of the attempt.
 */
export async function makeAttempts(engine: Engine, part: Part, request: AttemptsRequest): Promise<void> {
  const { ledger, seed, times, signal, say } = request;
  const own: { readonly number: number; readonly met: boolean; readonly problems: readonly string[] }[] =
    ledger.entries().filter((entry) => entry.part === part.name);
  const made = new Set(own.map((entry) => entry.number));
  for (let number = 1; !signal.aborted && stillWanted(own, times) > 0; number += 1) {
    if (made.has(number)) continue;
    const beganMs = performance.now();
    const chance = stream(seed, `${part.name}/${number}`);
    const attempt = await inWorld(engine, signal, (world) => part.attempt(world, chance)).catch(
      (error: unknown): Attempt => {
        signal.throwIfAborted();
        return { outcome: 'error', met: false, problems: [describeError(error)], facts: {} };
      },
    );
    const tookMs = Math.round(performance.now() - beganMs);
    ledger.add({ part: part.name, number, tookMs, ...attempt, problems: [...attempt.problems] });
    own.push({ number, ...attempt });
    const wrong = attempt.problems.length > 0 ? `: ${attempt.problems.join('; ')}` : '';
    if (wrong || part.secondsEach >= 1)
      say(`${part.name} ${number}/${times}: ${attempt.outcome}${attempt.met ? '' : ' (not met)'}${wrong}`);
  }
}
