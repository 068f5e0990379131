import type { Engine } from '../engine/index.ts';
import { describeError } from '../errors/index.ts';
import { ensureImage } from '../image/index.ts';
import { HostGuards } from '../probe/index.ts';
import type { HostGuardFactory } from '../scenario/index.ts';
import { bedLabels, currentOwner } from '../testnet/index.ts';

/** The host guard of a run: one canary for all its trials, one guard a trial. */
export interface HostWatch extends HostGuardFactory {
  stop(): Promise<void>;
}

/**
 * Starts the canary. Without one the run goes on: each trial tries again, and is void where its host cannot be watched.
 * @param note told when there is no canary
 */
export async function startHostWatch(
  engine: Engine,
  runId: string,
  note: (text: string) => void,
  signal: AbortSignal,
): Promise<HostWatch> {
  const guards = new HostGuards({
    engine,
    runId,
    labels: bedLabels({ runId, bedId: `${runId}-canary`, owner: currentOwner(), kind: 'helper' }),
    canaryImage: async (imageSignal) =>
      (await ensureImage(engine, { kind: 'ours', name: 'canary' }, { signal: imageSignal })).reference,
  });
  try {
    await guards.prepare(signal);
  } catch (error) {
    signal.throwIfAborted();
    note(`the host cannot be watched by a canary, and trials on it do not count: ${describeError(error)}`);
  }
  return guards;
}
