import { cpus, freemem, loadavg } from 'node:os';
import type { TrialContext } from '../../harness/index.ts';

interface CpuTimes {
  readonly busyMs: number;
  readonly allMs: number;
}

function cpuTimes(): CpuTimes {
  const times = cpus().map((cpu) => cpu.times);
  const allMs = times.reduce(
    (sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq,
    0,
  );
  return { allMs, busyMs: allMs - times.reduce((sum, { idle }) => sum + idle, 0) };
}

/** Tells what the host does while a wave goes on: `host.sampled {busyRatio, load, memoryFreeBytes}` since the last call. */
export function hostSampler(trial: TrialContext): () => void {
  let last = cpuTimes();
  return () => {
    const now = cpuTimes();
    const allMs = now.allMs - last.allMs;
    trial.emit('host.sampled', {
      busyRatio: allMs > 0 ? (now.busyMs - last.busyMs) / allMs : 0,
      load: loadavg()[0] ?? 0,
      memoryFreeBytes: freemem(),
    });
    last = now;
  };
}
