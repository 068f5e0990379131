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

/** The attempts of a part that are not in the ledger yet, one after another. An error of ours is a problem of the attempt. */
export async function makeAttempts(engine: Engine, part: Part, request: AttemptsRequest): Promise<void> {
  const { ledger, seed, times, signal, say } = request;
  const done = new Set(ledger.entries().flatMap((entry) => (entry.part === part.name ? [entry.number] : [])));
  for (let number = 1; number <= times && !signal.aborted; number += 1) {
    if (done.has(number)) continue;
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
    const wrong = attempt.problems.length > 0 ? `: ${attempt.problems.join('; ')}` : '';
    if (wrong || part.secondsEach >= 1)
      say(`${part.name} ${number}/${times}: ${attempt.outcome}${attempt.met ? '' : ' (not met)'}${wrong}`);
  }
}
