import type { Clock, Timer } from '../../harness/clock/index.ts';
import { SmpClientError } from './client-error.ts';
import type { SmpConnection } from './smp-connection.ts';

/** When a client gives up a connection that answers nothing. */
export interface KeepAlive {
  /** How often it is looked at; the real software's 600,000. */
  readonly pingIntervalMs: number;
  /** Commands in a row without an answer, from which on it is dropped; 3. With 0 it never is. */
  readonly pingCount: number;
  /** Silence, below which it is kept whatever the count; 900,000. */
  readonly silenceMs: number;
  /** How long a ping waits for its answer. */
  readonly pingTimeoutMs: number;
  /** Whether to ping at all: the real software does when it is subscribed to something. */
  readonly pings: () => boolean;
}

/** Less than this is not worth another wait. */
const WORTH_WAITING_MS = 1_000;

/**
 * Looks at the connection every ping interval since it last heard something, pings, and drops it after `pingCount` commands
 * in a row have had no answer and it has been silent for `silenceMs`.
 * @returns what stops it
 */
export function keepAlive(connection: SmpConnection, clock: Clock, alive: KeepAlive): () => void {
  let timer: Timer | undefined;
  let stopped = false;
  const look = async (): Promise<void> => {
    const silentMs = clock.nowMs() - connection.lastReceivedMs;
    const remainingMs = alive.pingIntervalMs - silentMs;
    if (remainingMs > WORTH_WAITING_MS) {
      again(remainingMs);
      return;
    }
    if (alive.pings()) await ping(connection, alive.pingTimeoutMs);
    const { pingCount, silenceMs } = alive;
    if (pingCount === 0 || connection.timeoutsInRow < pingCount || silentMs < silenceMs) {
      again(alive.pingIntervalMs);
      return;
    }
    connection.close(
      `no answer to ${connection.timeoutsInRow} commands, and silent for ${Math.round(silentMs)} ms`,
    );
  };
  const again = (delayMs: number): void => {
    if (!stopped) timer = clock.after(delayMs, () => void look());
  };
  again(alive.pingIntervalMs);
  return () => {
    stopped = true;
    timer?.cancel();
  };
}

async function ping(connection: SmpConnection, timeoutMs: number): Promise<void> {
  try {
    await connection.request({ tag: 'PING' }, { timeoutMs });
  } catch (error) {
    // The connection counts it; there is nobody else to tell.
    if (!(error instanceof SmpClientError)) throw error;
  }
}
