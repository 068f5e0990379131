import type { HostSource, ReadText } from './host-source.ts';

const MEMORY_RATIO_MAX = 0.97;

/** Memory used up, and processes that the kernel killed for it. */
export function memorySources(readText: ReadText): HostSource[] {
  return [
    {
      name: 'oom kills',
      unit: '',
      threshold: 0,
      reason: 'a process killed for memory is not the system’s doing, unless the scenario limits memory',
      fold: 'increase',
      read: async () => numberOf(/^oom_kill (\d+)$/m.exec((await readText('/proc/vmstat')) ?? '')),
    },
    {
      name: 'memory used',
      unit: 'ratio',
      threshold: MEMORY_RATIO_MAX,
      reason: 'beyond it the kernel reclaims pages while nodes wait',
      fold: 'highest',
      read: async () => {
        const text = (await readText('/proc/meminfo')) ?? '';
        const total = numberOf(/^MemTotal:\s+(\d+)/m.exec(text));
        const available = numberOf(/^MemAvailable:\s+(\d+)/m.exec(text));
        return total === undefined || available === undefined ? undefined : 1 - available / total;
      },
    },
  ];
}

function numberOf(match: RegExpExecArray | null): number | undefined {
  return match?.[1] === undefined ? undefined : Number(match[1]);
}
