import type { Engine } from '../engine/index.ts';
import { describeError } from '../errors/index.ts';
import { ensureImage } from '../image/index.ts';
import { type Canary, startCanary, startHostGuard } from '../probe/index.ts';
import type { HostGuardFactory } from '../scenario/index.ts';
import { bedLabels, currentOwner } from '../testnet/index.ts';

/** The host guard of a run: one canary for all its trials, one guard a trial. */
export interface HostWatch extends HostGuardFactory {
  stop(): Promise<void>;
}

/**
 * Starts the canary. Without one the run goes on, and every trial says that its host is unknown.
 * @param note told when there is no canary
 */
export async function startHostWatch(
  engine: Engine,
  runId: string,
  note: (text: string) => void,
  signal: AbortSignal,
): Promise<HostWatch> {
  let canary: Canary | undefined;
  try {
    const image = await ensureImage(engine, { kind: 'ours', name: 'canary' }, { signal });
    canary = await startCanary({
      engine,
      image: image.reference,
      name: `squall-${runId}-canary`,
      labels: bedLabels({ runId, bedId: `${runId}-canary`, owner: currentOwner(), kind: 'helper' }),
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    note(`the host cannot be watched by a canary: ${describeError(error)}`);
  }
  return {
    start: ({ bed, shortestTimeoutMs }) =>
      startHostGuard({
        shortestTimeoutMs,
        pids: () => bed.nodes().map((node) => node.pid),
        canary,
      }),
    stop: async () => {
      await canary?.stop();
    },
  };
}
