import { cpus, release, totalmem } from 'node:os';
import type { EngineInfo } from '../engine/index.ts';
import type { HostClass } from '../record/index.ts';

/** What a reader must know of the machine to compare figures. */
export function hostClass(engine: EngineInfo | undefined): HostClass {
  const all = cpus();
  return {
    cpus: all.length,
    cpuModel: all[0]?.model.trim() ?? 'unknown',
    memoryBytes: totalmem(),
    kernel: release(),
    engine: engine ? `${engine.version} (API ${engine.apiVersion})` : 'not asked',
    node: process.version,
  };
}
