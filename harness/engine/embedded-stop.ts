import { setTimeout as delay } from 'node:timers/promises';
import { SquallError } from '../errors/index.ts';
import { acquireLock } from '../state/index.ts';
import { containerdPid, daemonPid, removeLeftovers } from './embedded-process.ts';
import type { EmbeddedOptions } from './embedded-start.ts';
import type { EngineHome } from './engine-home.ts';

/** The daemon gives each container 10 s to end before it kills it. */
const STOP_DEADLINE_MS = 60_000;

const LOCK_DEADLINE_MS = 120_000;

async function untilGone(isThere: () => boolean, signal: AbortSignal | undefined): Promise<boolean> {
  const deadline = performance.now() + STOP_DEADLINE_MS;
  while (isThere()) {
    if (performance.now() > deadline) return false;
    await delay(50, undefined, signal ? { signal } : {});
  }
  return true;
}

/**
 * Stops the engine that we started, with its containers; what it stores stays. Its containerd normally ends with it.
 * @returns false when it was not running
 * @throws SquallError `engine-stop-failed`
 */
export async function stopEmbeddedEngine(home: EngineHome, options: EmbeddedOptions = {}): Promise<boolean> {
  const lock = await acquireLock(home.startLock, {
    withinMs: LOCK_DEADLINE_MS,
    facts: { doing: 'stopping the engine' },
    onWait: (owner) => options.onProgress?.(`waiting for process ${owner.pid}, which is at the engine`),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  try {
    const pid = daemonPid(home);
    if (pid !== undefined) {
      process.kill(pid, 'SIGTERM');
      options.onProgress?.(`waiting for the engine (process ${pid}) to end`);
      if (!(await untilGone(() => daemonPid(home) === pid, options.signal))) {
        throw new SquallError(
          `engine stop: process ${pid} still runs; expected its end within ${STOP_DEADLINE_MS / 1000} s`,
          {
            code: 'engine-stop-failed',
            facts: { pid, log: home.log },
            hint: `Look into ${home.log}.`,
          },
        );
      }
    }
    const orphan = containerdPid(home);
    if (orphan !== undefined) {
      process.kill(orphan, 'SIGTERM');
      await untilGone(() => containerdPid(home) === orphan, options.signal);
    }
    removeLeftovers(home);
    return pid !== undefined || orphan !== undefined;
  } finally {
    lock.release();
  }
}

/** What is known of our own engine without speaking to it. */
export function embeddedStatus(home: EngineHome): {
  readonly pid: number | undefined;
  readonly socket: string;
  readonly log: string;
} {
  return { pid: daemonPid(home), socket: home.socket, log: home.log };
}
