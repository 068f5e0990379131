import type { Engine } from '../engine/index.ts';
import { describeError, SquallError } from '../errors/index.ts';
import { parseCanaryLine } from './canary-line.ts';
import { CanaryWatch } from './canary-watch.ts';

const MEMORY_BYTES = 32 * 1024 ** 2;
const START_WITHIN_MS = 20_000;

export interface CanaryOptions {
  readonly engine: Engine;
  /** Reference of the image `canary`, as `ensureImage` gives it. */
  readonly image: string;
  /** Container name; unique in the run. */
  readonly name: string;
  /** Labels of the run, so that sweeping finds it. */
  readonly labels: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** A container with nothing to do, whose late timers accuse the host. One serves all beds of a run. */
export interface Canary {
  readonly containerId: string;
  /** False once its output has ended. */
  readonly alive: boolean;
  /** Begins to collect for one trial. */
  watch(shortestTimeoutMs: number): CanaryWatch;
  /** Removes the container; may be called again. */
  stop(): Promise<void>;
}

/**
 * Starts the canary and waits for its first word.
 * @throws SquallError `canary-not-started`
 */
export async function startCanary({ engine, image, name, labels, signal }: CanaryOptions): Promise<Canary> {
  const watches = new Set<CanaryWatch>();
  const following = new AbortController();
  const containerId = await engine.createContainer(
    {
      name,
      hostname: 'canary',
      image,
      environment: {},
      labels,
      network: 'none',
      memoryBytes: MEMORY_BYTES,
      capDrop: ['ALL'],
      readOnlyRoot: true,
    },
    signal,
  );
  let removed: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    removed ??= (async () => {
      following.abort();
      await engine.removeContainer(containerId);
    })();
    return removed;
  };

  let ended: string | undefined;
  const end = (why: string): void => {
    ended = following.signal.aborted ? 'it was stopped' : why;
    for (const watch of watches) watch.end(ended);
  };
  try {
    await engine.startContainer(containerId, signal);
    await new Promise<void>((heard, failed) => {
      const fail = (what: string): void =>
        failed(new SquallError(`canary: ${what}; expected its first line`, { code: 'canary-not-started' }));
      const tooLate = setTimeout(fail, START_WITHIN_MS, `said nothing for ${START_WITHIN_MS} ms`);
      const onLine = (stream: 'stdout' | 'stderr', line: string): void => {
        if (stream !== 'stdout') return;
        clearTimeout(tooLate);
        heard();
        const lateMs = parseCanaryLine(line);
        if (lateMs) for (const watch of watches) watch.add(lateMs);
      };
      signal.addEventListener('abort', () => fail('was interrupted'), { once: true });
      engine
        .followLogs(containerId, onLine, following.signal)
        .then(
          () => end('its output ended'),
          (error: unknown) => end(describeError(error)),
        )
        .finally(() => {
          clearTimeout(tooLate);
          fail(ended ?? 'ended');
        });
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    containerId,
    get alive() {
      return ended === undefined;
    },
    watch: (shortestTimeoutMs) => {
      const watch = new CanaryWatch(shortestTimeoutMs, () => watches.delete(watch));
      watches.add(watch);
      if (ended !== undefined) watch.end(ended);
      return watch;
    },
    stop,
  };
}
