import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeError } from '../errors/index.ts';
import type { HostMeasure, HostRecord } from '../record/index.ts';
import type { Canary } from './canary.ts';
import { type Clocks, clockSources } from './clock-sources.ts';
import { cpuSources } from './cpu-sources.ts';
import type { HostSource, ReadText } from './host-source.ts';
import { judgeHost } from './judge-host.ts';
import { memorySources } from './memory-sources.ts';
import { networkSources } from './network-sources.ts';

const SAMPLE_EVERY_MS = 500;

export interface HostGuardOptions {
  /** Shortest timeout of the system under test in real time (after the warp): the canary is held against it. */
  readonly shortestTimeoutMs: number;
  /** PIDs of the bed's nodes as they are now, for their receive buffers. */
  readonly pids: () => readonly number[];
  /** A container whose timers are watched; without one the verdict can only be `unknown`. */
  readonly canary: Canary | undefined;
  /** Further things to watch: the agent's pass latency, engine restarts. */
  readonly sources?: readonly HostSource[];
  /** Names whose thresholds do not count, since the scenario itself causes them (`oom kills` under a memory limit). */
  readonly expected?: readonly string[];
  readonly sampleEveryMs?: number;
  readonly readText?: ReadText;
  readonly clocks?: Clocks;
}

/** Watches the host during one trial. */
export interface HostGuard {
  /** Takes the last sample and judges. May be called again; the record stays the same. */
  stop(): Promise<HostRecord>;
}

interface Watched {
  readonly source: HostSource;
  first: number | undefined;
  last: number | undefined;
  highest: number | undefined;
  failure: string | undefined;
}

/** Begins to watch; returns once the first sample is taken. Thresholds are fixed from here on. */
export async function startHostGuard(options: HostGuardOptions): Promise<HostGuard> {
  const readText = options.readText ?? readProcFile;
  const clocks = options.clocks ?? SYSTEM_CLOCKS;
  const ending = new AbortController();
  const canary = options.canary?.watch(options.shortestTimeoutMs);
  const watched = [
    ...(canary?.sources() ?? []),
    ...cpuSources(readText, clocks.monotonicMs),
    ...memorySources(readText),
    ...networkSources(readText, options.pids),
    ...clockSources(clocks),
    ...(options.sources ?? []),
  ].map(
    (source): Watched => ({
      source,
      first: undefined,
      last: undefined,
      highest: undefined,
      failure: undefined,
    }),
  );
  await sample(watched);

  const sampling = (async () => {
    while (!ending.signal.aborted) {
      await pause(options.sampleEveryMs ?? SAMPLE_EVERY_MS, ending.signal);
      await sample(watched);
    }
  })();

  const judge = async (): Promise<HostRecord> => {
    // What the canary measured up to now must have reached us before its sources are read for the last time.
    const silence = await canary?.settle();
    ending.abort();
    await sampling;
    const measures = watched.map((one) => measureOf(one, options.expected ?? []));
    const failures = watched.map(({ failure }) => failure).filter((failure) => failure !== undefined);
    if (!canary) failures.push('no canary was watched');
    if (silence !== undefined) failures.push(silence);
    return judgeHost(
      measures.filter((measure) => measure !== undefined),
      failures,
    );
  };
  let record: Promise<HostRecord> | undefined;
  return {
    stop: () => {
      record ??= judge();
      return record;
    },
  };
}

async function sample(watched: readonly Watched[]): Promise<void> {
  for (const one of watched) {
    try {
      const value = await one.source.read();
      if (value === undefined || !Number.isFinite(value)) continue;
      one.first ??= value;
      one.last = value;
      one.highest = Math.max(one.highest ?? value, value);
    } catch (error) {
      one.failure ??= `${one.source.name}: could not be read: ${describeError(error)}`;
    }
  }
}

function measureOf(
  { source, first, last, highest }: Watched,
  expected: readonly string[],
): HostMeasure | undefined {
  if (first === undefined || last === undefined || highest === undefined) return undefined;
  const value = source.fold === 'increase' ? last - first : highest;
  const { name, unit, threshold } = source;
  if (threshold === undefined || expected.includes(name)) return { name, unit, value, exceeded: false };
  return { name, unit, value, threshold, exceeded: value > threshold };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const SYSTEM_CLOCKS: Clocks = { monotonicMs: () => performance.now(), wallMs: () => Date.now() };

async function readProcFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ESRCH and EINVAL: the process whose file it is has ended.
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EINVAL') return undefined;
    throw error;
  }
}
