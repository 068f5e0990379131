import type { HostSource, ReadText } from './host-source.ts';

const STEAL_RATIO_MAX = 0.25;
const BUSY_WINDOW_MS = 10_000;

interface CpuTimes {
  readonly total: number;
  readonly idle: number;
  readonly steal: number;
}

/** First line of /proc/stat in ticks: user nice system idle iowait irq softirq steal (guest times are inside user's). */
export function parseCpuTimes(stat: string): CpuTimes | undefined {
  const fields = /^cpu\s+(.*)$/m.exec(stat)?.[1]?.split(/\s+/).slice(0, 8).map(Number);
  if (!fields || fields.length < 8) return undefined;
  const total = fields.reduce((sum, ticks) => sum + ticks, 0);
  return { total, idle: (fields[3] ?? 0) + (fields[4] ?? 0), steal: fields[7] ?? 0 };
}

/** CPU time taken away by the hypervisor, CPU time used up, and how many processes wait. */
export function cpuSources(readText: ReadText, nowMs: () => number): HostSource[] {
  const readTimes = async () => parseCpuTimes((await readText('/proc/stat')) ?? '');
  return [
    {
      name: 'steal',
      unit: 'ratio',
      threshold: STEAL_RATIO_MAX,
      reason: 'worst sample: above a quarter of the CPU taken away, timers here say little about the system',
      fold: 'highest',
      read: ratioBetweenReads(readTimes, (from, to) => (to.steal - from.steal) / (to.total - from.total)),
    },
    {
      name: 'cpu busy',
      unit: 'ratio',
      // A full CPU spoils nothing by itself (a system may need it all); what it does to timers, the canary shows.
      reason: 'worst 10 s, shown for context',
      fold: 'highest',
      read: busyOverWindow(readTimes, nowMs),
    },
    {
      name: 'load',
      unit: '',
      reason: 'one-minute average, shown for context',
      fold: 'highest',
      read: async () => {
        const text = await readText('/proc/loadavg');
        return text === undefined ? undefined : Number(text.split(' ')[0]);
      },
    },
    {
      name: 'cpu pressure',
      unit: 'ratio',
      reason: 'worst 10 s share of time in which something waited for a CPU, where the kernel tells',
      fold: 'highest',
      read: async () => {
        const average = /^some avg10=([\d.]+)/m.exec((await readText('/proc/pressure/cpu')) ?? '')?.[1];
        return average === undefined ? undefined : Number(average) / 100;
      },
    },
  ];
}

function ratioBetweenReads(
  readTimes: () => Promise<CpuTimes | undefined>,
  ratio: (from: CpuTimes, to: CpuTimes) => number,
): () => Promise<number | undefined> {
  let last: CpuTimes | undefined;
  return async () => {
    const times = await readTimes();
    const value = times && last && times.total > last.total ? ratio(last, times) : undefined;
    if (times && times.total !== last?.total) last = times;
    return value;
  };
}

/** Busy share over the last ten seconds, once that many have been seen. */
function busyOverWindow(
  readTimes: () => Promise<CpuTimes | undefined>,
  nowMs: () => number,
): () => Promise<number | undefined> {
  const seen: { readonly atMs: number; readonly times: CpuTimes }[] = [];
  return async () => {
    const times = await readTimes();
    if (!times) return undefined;
    const atMs = nowMs();
    seen.push({ atMs, times });
    // The newest that is old enough is the window's beginning; what lies before it is no longer needed.
    while (seen[1] && atMs - seen[1].atMs >= BUSY_WINDOW_MS) seen.shift();
    const from = seen[0];
    if (!from || atMs - from.atMs < BUSY_WINDOW_MS || times.total === from.times.total) return undefined;
    return 1 - (times.idle - from.times.idle) / (times.total - from.times.total);
  };
}
