import { readFileSync } from 'node:fs';
import type { Engine } from '../engine/index.ts';
import { LABEL } from '../testnet/index.ts';

/** What a look at a process that has ended, or is about to, comes to. */
const GONE: readonly string[] = ['ENOENT', 'ESRCH', 'EINVAL', 'EACCES'];

/**
 * Queues that some process serves in the network namespace of this one, by the kernel's own list: the packet agent's, as long as a
 * fault is armed there. None once the process has gone, and its namespace with it.
 */
export function boundQueues(pid: number): number {
  return queueLines(pid).length;
}

/** Packets that the kernel has handed to these queues so far. */
export function queuedPackets(pid: number): number {
  return queueLines(pid).reduce((sum, line) => sum + Number(line.trim().split(/\s+/)[ID_SEQUENCE] ?? 0), 0);
}

/** Column of nfnetlink_queue that counts packets: each is given the next number. */
const ID_SEQUENCE = 7;

function queueLines(pid: number): readonly string[] {
  const text = readUnlessGone(`/proc/${pid}/net/netfilter/nfnetlink_queue`);
  return text.split('\n').filter((line) => line.trim() !== '');
}

/** Whether the process does something, or could: it has not ended, and is not stopped (SIGSTOP). */
export function isRunning(pid: number): boolean {
  const stat = readUnlessGone(`/proc/${pid}/stat`);
  return stat !== '' && !'TXZ'.includes(stat.charAt(stat.lastIndexOf(')') + 2));
}

/** Processes, on this host, of a run's nodes. */
export async function nodePids(engine: Engine, runId: string): Promise<readonly number[]> {
  const nodes = await engine.listContainers([`${LABEL.run}=${runId}`, `${LABEL.kind}=node`]);
  const states = await Promise.all(nodes.map(({ id }) => engine.inspectContainer(id)));
  return states.flatMap((state) => (state?.running ? [state.pid] : []));
}

function readUnlessGone(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (GONE.includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}
