import type { FaultStatus } from '../fault/index.ts';
import type { Bed } from './bed.ts';
import { mapBounded } from './bounded.ts';
import { shortError } from './event-log.ts';
import { nowNs } from './monotonic.ts';
import type { NodeLogCounts } from './node-log.ts';
import type { StartedNode } from './types.ts';

const STATE_TIMEOUT_MS = 3_000;
const ASK_CONCURRENCY = 16;

export interface NodeStatus extends StartedNode {
  /** As the engine says: `running`, `paused`, `exited` …; `gone` when it knows no such container. */
  readonly container: string;
  readonly exit?: { readonly code: number; readonly cause: string; readonly expected: boolean };
  /** What the node's own `/state` says of itself: its plain values, and `counts`. */
  readonly state?: Readonly<Record<string, unknown>>;
  readonly stateProblem?: string;
  readonly log: NodeLogCounts;
}

export interface BedStatus {
  readonly subnet: string;
  readonly upMs: number;
  readonly startMs: number;
  readonly agentLost?: string;
  readonly nodes: readonly NodeStatus[];
  readonly faults: readonly FaultStatus[];
}

/** The bed as it is now, read from the engine, the agent and the nodes. */
export async function readBedStatus(bed: Bed): Promise<BedStatus> {
  const listed = await bed.engine.listContainers(bed.nodeLabels);
  const containers = new Map(listed.map(({ id, state }) => [id, state]));
  const nodes = await mapBounded(bed.nodes(), ASK_CONCURRENCY, async (node): Promise<NodeStatus> => {
    const exit = bed.exitOf(node.name);
    return {
      ...node,
      container: containers.get(node.containerId) ?? 'gone',
      ...(exit ? { exit: { code: exit.code, cause: exit.cause, expected: exit.expected } } : {}),
      ...(exit || node.adminPort === undefined ? {} : await askState(bed, node.name)),
      log: bed.logCounts(node.name),
    };
  });
  return {
    subnet: bed.subnet,
    upMs: (nowNs() - bed.timing.readyNs) / 1e6,
    startMs: bed.timing.totalMs,
    ...(bed.agent.lost ? { agentLost: bed.agent.lost.message } : {}),
    nodes,
    faults: bed.agent.lost ? [] : await bed.faults.list(),
  };
}

async function askState(
  bed: Bed,
  node: string,
): Promise<{ state?: Record<string, unknown>; stateProblem?: string }> {
  try {
    const { status, body } = await bed.admin(node, 'GET', '/state', undefined, {
      timeoutMs: STATE_TIMEOUT_MS,
    });
    if (status !== 200) return { stateProblem: `answers ${status} to /state` };
    return { state: digest(JSON.parse(body)) };
  } catch (error) {
    return { stateProblem: shortError(error) };
  }
}

/** Plain values and the object `counts`, what a person wants in one line of a table; and `details`, lines below it. */
function digest(state: unknown): Record<string, unknown> {
  if (typeof state !== 'object' || state === null) return {};
  return Object.fromEntries(
    Object.entries(state).filter(
      ([key, value]) =>
        typeof value !== 'object' ||
        (key === 'counts' && value !== null) ||
        (key === 'details' && Array.isArray(value)),
    ),
  );
}
