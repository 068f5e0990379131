import type { FaultBedPort } from '../fault-bed-port.ts';
import { onEachNode, witnessOf } from '../on-each-node.ts';
import { requireNode } from '../require-node.ts';
import type { FaultWork } from '../timed-lease.ts';
import type { FaultPlan } from '../types.ts';
import { requireRunning } from './require-running.ts';

/** The process stands still: the engine freezes the container's cgroup. */
export function pauseFault(plan: FaultPlan, bed: FaultBedPort): FaultWork {
  const touched = new Set<string>();
  const vanished = new Set<string>();
  /** A container that vanished is not paused: gone counts as lifted. */
  const isPaused = async (name: string) => {
    const state = await bed.engine.inspectContainer(requireNode(bed, name).containerId);
    if (!state) vanished.add(name);
    return state?.paused ?? false;
  };
  return {
    arm: async () => {
      await requireRunning(bed, plan);
    },
    apply: () =>
      onEachNode(plan.targets, async (name) => {
        touched.add(name);
        await bed.engine.pauseContainer(requireNode(bed, name).containerId);
      }),
    undo: async () => {
      await onEachNode([...touched], async (name) => {
        if (await isPaused(name)) await bed.engine.unpauseContainer(requireNode(bed, name).containerId);
      });
    },
    remains: async () => {
      const { results } = await onEachNode([...touched], async (name) =>
        (await isPaused(name)) ? [`${name} is still paused`] : [],
      );
      return results.flat();
    },
    notes: () => [...vanished].map((name) => `${name}: its container vanished while the fault was in force`),
    witness: async () => {
      const { results } = await onEachNode(plan.targets, async (name) => {
        return [name, { paused: (await isPaused(name)) ? 1 : 0 }] as const;
      });
      return witnessOf('engine', Object.fromEntries(results));
    },
  };
}
