import { readFileSync } from 'node:fs';
import type { Engine } from '../engine/index.ts';
import type { LiveNode } from './live-node.ts';

/**
 * Stops the nodes' processes (SIGSTOP) in a few milliseconds for all of them, where the engine's host is this one: from
 * here on the bed does nothing more, and takes no processor time from its own removal. Not SIGKILL: a hundred containers
 * that leave their network at one instant can lock up engines before 23 for good, so they are killed one by one as they
 * are removed. Best effort: what cannot be stopped is removed all the same.
 * @returns how many were stopped
 */
export function freezeNodes(engine: Engine, nodes: readonly LiveNode[]): number {
  if (engine.info.host !== 'this') return 0;
  return nodes.filter((node) => isProcessOf(node) && stop(node.pid)).length;
}

/** A PID may be another's by now; the control group says whose the process is. */
function isProcessOf(node: LiveNode): boolean {
  if (node.pid <= 1 || node.containerId === '' || node.exit) return false;
  try {
    return readFileSync(`/proc/${node.pid}/cgroup`, 'utf8').includes(node.containerId);
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

function stop(pid: number): boolean {
  try {
    process.kill(pid, 'SIGSTOP');
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** Ended meanwhile, or not ours to signal. */
function isGone(error: unknown): boolean {
  return ['ENOENT', 'ESRCH', 'EPERM', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '');
}
