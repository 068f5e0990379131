import type { HostClass } from '../record/index.ts';
import { formatBytes } from '../units/index.ts';

/** Memory that two machines of one class may differ by: what firmware and kernel take varies. */
const MEMORY_TOLERANCE_RATIO = 0.1;

/** What decides how fast a machine is, for people. Kernel, engine and Node.js change oftener and are only shown. */
export function machineClassText({ cpus, cpuModel, memoryBytes }: HostClass): string {
  return `${cpus} × ${cpuModel}, ${formatBytes(memoryBytes)}`;
}

/** Whether figures of one machine may be held against the other's as they are. */
export function sameMachineClass(a: HostClass, b: HostClass): boolean {
  const larger = Math.max(a.memoryBytes, b.memoryBytes);
  return (
    a.cpus === b.cpus &&
    a.cpuModel === b.cpuModel &&
    Math.abs(a.memoryBytes - b.memoryBytes) <= larger * MEMORY_TOLERANCE_RATIO
  );
}
