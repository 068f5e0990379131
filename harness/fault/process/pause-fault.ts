import type { FaultBedPort } from '../fault-bed-port.ts';
import { onEachNode, witnessOf } from '../on-each-node.ts';
import { requireNode } from '../require-node.ts';
import type { FaultWork } from '../timed-lease.ts';
import type { FaultPlan } from '../types.ts';
import { requireState } from './container-watch.ts';
import { requireRunning } from './require-running.ts';

/** The process stands still: the engine freezes the container's cgroup. */
export function pauseFault(plan: FaultPlan, bed: FaultBedPort): FaultWork {
  const touched = new Set<string>();
  const stateOf = (name: string) => requireState(bed.engine, name, requireNode(bed, name).containerId);
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
        if ((await stateOf(name)).paused)
          await bed.engine.unpauseContainer(requireNode(bed, name).containerId);
      });
    },
    remains: async () => {
      const { results } = await onEachNode([...touched], async (name) =>
        (await stateOf(name)).paused ? [`${name} is still paused`] : [],
      );
      return results.flat();
    },
    witness: async () => {
      const { results } = await onEachNode(plan.targets, async (name) => {
        return [name, { paused: (await stateOf(name)).paused ? 1 : 0 }] as const;
      });
      return witnessOf('engine', Object.fromEntries(results));
    },
  };
}
