import type { ContainerState } from '../../engine/index.ts';
import type { FaultBedPort, FaultNode } from '../fault-bed-port.ts';
import { onEachNode, witnessOf } from '../on-each-node.ts';
import { requireNode } from '../require-node.ts';
import type { FaultWork } from '../timed-lease.ts';
import type { FaultPlan } from '../types.ts';
import { untilState } from './container-watch.ts';
import { requireRunning } from './require-running.ts';

/** Called when a node runs again in a new network namespace: packet faults in force on it must bite there too. */
export type NodeRestarted = (name: string, signal: AbortSignal) => Promise<void>;

const MS_PER_S = 1_000;

/** Ends the node's process in the way of the kind; resolves when the engine has taken the order. */
export async function endProcess(bed: FaultBedPort, plan: FaultPlan, node: FaultNode): Promise<void> {
  const { signal, graceMs } = plan.settings;
  if (plan.kind === 'kill' || signal === 'SIGKILL') {
    await bed.engine.killContainer(node.containerId, String(signal));
    return;
  }
  await bed.engine.stopContainer(node.containerId, Math.ceil(Number(graceMs) / MS_PER_S));
}

/** Starts a node that does not run, in the namespace that the engine makes for it, and tells who must know. */
export async function startAgain(
  bed: FaultBedPort,
  name: string,
  onRestart: NodeRestarted,
  signal: AbortSignal,
): Promise<void> {
  const { containerId } = requireNode(bed, name);
  await bed.engine.startContainer(containerId, signal);
  await untilState(bed.engine, name, containerId, (state) => state.running && state.pid > 0, signal);
  await bed.refreshNode(name, signal);
  await onRestart(name, signal);
}

/** kill and stop: the node is away while the fault is in force, and runs again when it is lifted. */
export function stopFault(plan: FaultPlan, bed: FaultBedPort, onRestart: NodeRestarted): FaultWork {
  const touched = new Map<string, () => void>();
  const seen = new Map<string, ContainerState>();
  const stoppedState = (name: string, signal: AbortSignal) =>
    untilState(bed.engine, name, requireNode(bed, name).containerId, (state) => !state.running, signal);
  return {
    arm: async () => {
      await requireRunning(bed, plan);
    },
    apply: (signal) =>
      onEachNode(plan.targets, async (name) => {
        touched.set(name, bed.expectExit?.(name) ?? (() => undefined));
        await endProcess(bed, plan, requireNode(bed, name));
        seen.set(name, await stoppedState(name, signal));
      }),
    undo: async (signal) => {
      await onEachNode([...touched.keys()], async (name) => {
        const state = await bed.engine.inspectContainer(requireNode(bed, name).containerId);
        if (state && !state.running) await startAgain(bed, name, onRestart, signal);
        touched.get(name)?.();
      });
    },
    remains: async () => {
      const { results } = await onEachNode([...touched.keys()], async (name) => {
        const state = await bed.engine.inspectContainer(requireNode(bed, name).containerId);
        return state?.running
          ? []
          : [`${name} does not run again (exit code ${state?.exitCode ?? 'unknown'})`];
      });
      return results.flat();
    },
    witness: async () => {
      const { results } = await onEachNode(plan.targets, async (name) => {
        const state = await bed.engine.inspectContainer(requireNode(bed, name).containerId);
        const exit = seen.has(name) ? { [`exit${seen.get(name)?.exitCode}`]: 1 } : {};
        return [name, { stopped: state?.running ? 0 : 1, ...exit }] as const;
      });
      return witnessOf('engine', Object.fromEntries(results));
    },
  };
}
