import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const CGROUP_ROOT = '/sys/fs/cgroup';
/** A limit above this is the kernel's way of saying that there is none (cgroup v1). */
const NO_LIMIT_BYTES = 2 ** 60;

/** What the kernel says of the control group that a process is in. Absent limits are none. */
export interface CgroupReading {
  readonly memoryBytes?: number;
  readonly cpus?: number;
  /** Allocations that met the limit, and processes killed for it. */
  readonly memoryFailures: number;
  readonly oomKills: number;
  /** Periods in which the group wanted more processor than its quota. */
  readonly throttledPeriods: number;
}

/** Reads both generations of control groups, also side by side. Files that a kernel lacks count as no limit, zero events. */
export async function readCgroup(pid: number): Promise<CgroupReading> {
  const paths = cgroupPaths(await readFile(`/proc/${pid}/cgroup`, 'utf8'));
  const [memory, cpu] = await Promise.all([readMemory(paths), readCpu(paths)]);
  return { ...memory, ...cpu };
}

interface CgroupPaths {
  readonly memory?: string;
  readonly cpu?: string;
  readonly unified?: string;
}

/** Lines such as `4:cpu,cpuacct:/docker/ID` (v1) and `0::/docker/ID` (v2). Exported for its table test. */
export function cgroupPaths(procCgroup: string): CgroupPaths {
  const paths: { memory?: string; cpu?: string; unified?: string } = {};
  for (const line of procCgroup.split('\n')) {
    const [, id, controllers, path] = /^(\d+):([^:]*):(.*)$/.exec(line) ?? [];
    if (id === undefined || controllers === undefined || path === undefined) continue;
    if (id === '0' && controllers === '') paths.unified = join(CGROUP_ROOT, path);
    const names = controllers.split(',');
    if (names.includes('memory')) paths.memory = join(CGROUP_ROOT, 'memory', path);
    if (names.includes('cpu')) paths.cpu = join(CGROUP_ROOT, controllers, path);
  }
  return paths;
}

async function readMemory({ memory, unified }: CgroupPaths) {
  const limit = memory ? await read(memory, 'memory.limit_in_bytes') : await read(unified, 'memory.max');
  const bytes = Number.parseInt(limit, 10);
  const failures = memory
    ? Number.parseInt(await read(memory, 'memory.failcnt'), 10)
    : field(await read(unified, 'memory.events'), 'max');
  const kills = field(
    await read(memory ?? unified, memory ? 'memory.oom_control' : 'memory.events'),
    'oom_kill',
  );
  return {
    ...(Number.isFinite(bytes) && bytes < NO_LIMIT_BYTES ? { memoryBytes: bytes } : {}),
    memoryFailures: failures || 0,
    oomKills: kills,
  };
}

async function readCpu({ cpu, unified }: CgroupPaths) {
  const throttledPeriods = field(await read(cpu ?? unified, 'cpu.stat'), 'nr_throttled');
  const [quotaText, periodText] = cpu
    ? [await read(cpu, 'cpu.cfs_quota_us'), await read(cpu, 'cpu.cfs_period_us')]
    : (await read(unified, 'cpu.max')).split(' ');
  const quota = Number.parseInt(quotaText ?? '', 10);
  const period = Number.parseInt(periodText ?? '', 10);
  return quota > 0 && period > 0 ? { cpus: quota / period, throttledPeriods } : { throttledPeriods };
}

async function read(folder: string | undefined, file: string): Promise<string> {
  if (folder === undefined) return '';
  try {
    return (await readFile(join(folder, file), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

function field(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
}
