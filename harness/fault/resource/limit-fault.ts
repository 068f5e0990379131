import type { FaultBedPort } from '../fault-bed-port.ts';
import { onEachNode, witnessOf } from '../on-each-node.ts';
import { requireRunning } from '../process/require-running.ts';
import { requireNode } from '../require-node.ts';
import type { FaultWork } from '../timed-lease.ts';
import type { FaultPlan } from '../types.ts';
import { type CgroupReading, readCgroup } from './cgroup-limits.ts';

/** The kernel keeps a quota as whole microseconds of a period of 100 ms. */
const CPU_TOLERANCE = 0.001;
/** Memory limits are whole pages. */
const PAGE_BYTES = 4_096;

/**
 * memory-limit and cpu-quota: changed through the engine, read back from the kernel. An engine cannot take a limit away
 * again, so where there was none it is set to all that the machine has.
 */
export function limitFault(plan: FaultPlan, bed: FaultBedPort): FaultWork {
  const isMemory = plan.kind === 'memory-limit';
  const wanted = Number(isMemory ? plan.settings.memoryBytes : plan.settings.cpus);
  const before = new Map<string, CgroupReading>();
  const touched = new Set<string>();
  const limitOf = (reading: CgroupReading) => (isMemory ? reading.memoryBytes : reading.cpus);
  const machine = isMemory ? bed.engine.info.memoryBytes : bed.engine.info.cpus;
  const tolerance = isMemory ? PAGE_BYTES : CPU_TOLERANCE;
  const normal = (name: string) => limitOf(before.get(name) as CgroupReading) ?? machine;
  const set = (name: string, limit: number) =>
    bed.engine.updateContainer(
      requireNode(bed, name).containerId,
      isMemory ? { memoryBytes: limit } : { cpus: limit },
    );
  const read = (name: string) => readCgroup(requireNode(bed, name).pid);

  /** A node that does not run has no control group; its limits are those that the engine keeps for its next run. */
  const isRunning = async (name: string) =>
    (await bed.engine.inspectContainer(requireNode(bed, name).containerId))?.running ?? false;

  return {
    arm: async () => {
      await requireRunning(bed, plan);
      await onEachNode(plan.targets, async (name) => before.set(name, await read(name)));
    },
    apply: () =>
      onEachNode(plan.targets, (name) => {
        touched.add(name);
        return set(name, wanted);
      }),
    undo: async () => {
      await onEachNode([...touched], async (name) => {
        const state = await bed.engine.inspectContainer(requireNode(bed, name).containerId);
        if (state) await set(name, normal(name));
      });
    },
    remains: async () => {
      const { results } = await onEachNode([...touched], async (name) => {
        if (!(await isRunning(name))) return [];
        const limit = limitOf(await read(name)) ?? machine;
        return limit < normal(name) - tolerance ? [`${name} is still limited to ${limit}`] : [];
      });
      return results.flat();
    },
    witness: async () => {
      const { results } = await onEachNode(plan.targets, async (name) => {
        if (!(await isRunning(name))) return [name, { limited: 0 }] as const;
        const now = await read(name);
        const old = before.get(name) as CgroupReading;
        const limited = (limitOf(now) ?? Number.POSITIVE_INFINITY) <= wanted + tolerance ? 1 : 0;
        const since = isMemory
          ? { memoryFailures: now.memoryFailures - old.memoryFailures, oomKills: now.oomKills - old.oomKills }
          : { throttledPeriods: now.throttledPeriods - old.throttledPeriods };
        return [name, { limited, ...since }] as const;
      });
      return witnessOf('kernel', Object.fromEntries(results));
    },
  };
}
