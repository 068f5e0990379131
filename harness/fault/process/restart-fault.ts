import type { ContainerState } from '../../engine/index.ts';
import type { FaultBedPort } from '../fault-bed-port.ts';
import { onEachNode, witnessOf } from '../on-each-node.ts';
import { requireNode } from '../require-node.ts';
import type { FaultWork } from '../timed-lease.ts';
import type { FaultPlan } from '../types.ts';
import { requireState, untilState } from './container-watch.ts';
import { requireRunning } from './require-running.ts';
import { endProcess, type NodeRestarted, startAgain } from './stop-fault.ts';

/** True when the node comes back as something else, so that lifting the fault means coming back as before. */
export function isRestartAs(plan: FaultPlan): boolean {
  return plan.settings.variant !== '' || plan.settings.image !== '';
}

/**
 * The process ends and starts at once, as it was or as another variant or version. A plain restart is over when the
 * node runs again; a restart as something else stays in force until it is lifted.
 */
export function restartFault(plan: FaultPlan, bed: FaultBedPort, onRestart: NodeRestarted): FaultWork {
  const before = new Map<string, ContainerState>();
  const touched = new Map<string, () => void>();
  const changed = new Set<string>();
  const { variant, image } = plan.settings;
  const as = {
    ...(variant === '' ? {} : { variant: String(variant) }),
    ...(image === '' ? {} : { image: String(image) }),
  };
  const stateOf = (name: string) => requireState(bed.engine, name, requireNode(bed, name).containerId);

  const restartOne = async (name: string, signal: AbortSignal) => {
    touched.set(name, bed.expectExit?.(name) ?? (() => undefined));
    if (isRestartAs(plan)) {
      changed.add(name);
      await bed.restartAs?.(name, as, signal);
      await onRestart(name, signal);
      return;
    }
    const node = requireNode(bed, name);
    await endProcess(bed, plan, node);
    await untilState(bed.engine, name, node.containerId, (state) => !state.running, signal);
    await startAgain(bed, name, onRestart, signal);
  };

  return {
    arm: async () => {
      for (const [name, state] of await requireRunning(bed, plan)) before.set(name, state);
    },
    apply: (signal) => onEachNode(plan.targets, (name) => restartOne(name, signal)),
    undo: async (signal) => {
      await onEachNode([...touched.keys()], async (name) => {
        const state = await bed.engine.inspectContainer(requireNode(bed, name).containerId);
        if (changed.has(name)) {
          // What was refused, or failed before it touched the node, needs no second start.
          if (!state || isNewRun(state, before.get(name))) {
            await bed.restartAs?.(name, {}, signal);
            await onRestart(name, signal);
          }
          changed.delete(name);
        } else if (state && !state.running) {
          await startAgain(bed, name, onRestart, signal);
        }
        touched.get(name)?.();
      });
    },
    remains: async () => {
      const { results } = await onEachNode([...touched.keys()], async (name) =>
        (await stateOf(name)).running ? [] : [`${name} does not run`],
      );
      return results.flat();
    },
    witness: async () => {
      const { results } = await onEachNode(plan.targets, async (name) => {
        const state = await stateOf(name);
        return [name, { restarted: state.running && isNewRun(state, before.get(name)) ? 1 : 0 }] as const;
      });
      return witnessOf('engine', Object.fromEntries(results));
    },
  };
}

function isNewRun(state: ContainerState, old: ContainerState | undefined): boolean {
  return state.id !== old?.id || state.startedAt !== old?.startedAt;
}
