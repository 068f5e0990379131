import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { SquallError } from '../errors/index.ts';
import type { AgentClient } from '../fault/index.ts';
import type { Readiness } from '../topology/index.ts';
import { adminRequest } from './admin-request.ts';
import { awaitReady } from './await-ready.ts';
import { mapBounded } from './bounded.ts';
import { withGeneration } from './container-spec.ts';
import { type EventLog, shortError } from './event-log.ts';
import type { LiveNode } from './live-node.ts';
import { nowNs } from './monotonic.ts';

/** Reset requests in flight: each is one small request through the agent. */
const RESET_CONCURRENCY = 16;
const HEALTH_RETRY_MS = 20;

export interface ResetRequest {
  /** Variables that the new process has instead of the container's; by node where they differ. */
  readonly env?: Readonly<Record<string, string>> | ((node: string) => Readonly<Record<string, string>>);
  /** What the nodes then are, for the record. */
  readonly variant?: string | ((node: string) => string | undefined);
}

/** After a plain restart, whose process has the container's environment again: back to what it should have. */
export async function restoreEnvironment(how: {
  readonly agent: AgentClient;
  readonly events: EventLog;
  readonly node: LiveNode;
  readonly signal?: AbortSignal;
}): Promise<void> {
  const { node } = how;
  const failed = new AbortController();
  const signal = how.signal ? AbortSignal.any([how.signal, failed.signal]) : failed.signal;
  // The process that has just started must be up before it can be asked, and then it is replaced.
  await becomesHealthy(how.agent, node, signal);
  const ready = awaitReady(node, readinessOf(node), refuseHttp, signal, 'from-now');
  ready.catch(() => undefined); // Awaited below, unless asking fails first.
  try {
    await sendReset(how.agent, how.events, node, signal);
    node.readyNs = await ready;
  } catch (error) {
    failed.abort(error);
    throw error;
  }
}

async function becomesHealthy(agent: AgentClient, node: LiveNode, signal: AbortSignal): Promise<void> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(node.plan.readiness.timeoutMs)]);
  for (;;) {
    try {
      const { status } = await adminRequest(agent, node, {
        method: 'GET',
        path: '/healthz',
        signal: deadline,
      });
      if (status === 200) return;
    } catch (error) {
      deadline.throwIfAborted();
      if (!(error instanceof SquallError) || error.code === 'agent-lost') throw error;
    }
    await sleep(HEALTH_RETRY_MS, undefined, { signal: deadline });
  }
}

/** Asks every node to run its process anew and waits for the `ready` of each new process. */
export async function resetNodes(how: {
  readonly agent: AgentClient;
  readonly events: EventLog;
  readonly nodes: readonly LiveNode[];
  readonly request: ResetRequest;
  /** Counts the bed's lives; see `withGeneration`. */
  readonly generation: number;
  readonly signal?: AbortSignal;
}): Promise<void> {
  const { nodes, request } = how;
  const failed = new AbortController();
  const signal = how.signal ? AbortSignal.any([how.signal, failed.signal]) : failed.signal;
  setMaxListeners(0, signal);
  const beganNs = nowNs();
  // Every wait begins before the first request, so that a quick node is not missed.
  const waits = nodes.map((node) => awaitReady(node, readinessOf(node), refuseHttp, signal, 'from-now'));
  const settled = Promise.allSettled(waits);
  try {
    await mapBounded(nodes, RESET_CONCURRENCY, (node) => askReset(how, node, signal), signal);
    const readyNs = await Promise.all(waits);
    for (const [index, node] of nodes.entries()) {
      node.readyNs = readyNs[index] ?? nowNs();
      const { variant } = request;
      if (variant !== undefined) node.variant = typeof variant === 'function' ? variant(node.name) : variant;
    }
  } catch (error) {
    failed.abort(error);
    await settled;
    throw error;
  }
  how.events.emit('bed.reset', { nodes: nodes.length, tookMs: (nowNs() - beganNs) / 1e6 });
}

function readinessOf(node: LiveNode): Readiness {
  const { readiness } = node.plan;
  const event = readiness.kind === 'event' ? readiness.event : 'ready';
  return { kind: 'event', event, timeoutMs: readiness.timeoutMs };
}

async function refuseHttp(): Promise<number> {
  throw new SquallError('reset: waits for an event only', { code: 'not-here' });
}

async function askReset(
  how: {
    readonly agent: AgentClient;
    readonly events: EventLog;
    readonly request: ResetRequest;
    readonly generation: number;
  },
  node: LiveNode,
  signal: AbortSignal,
): Promise<void> {
  const { agent, events, request } = how;
  const given = typeof request.env === 'function' ? request.env(node.name) : request.env;
  // Complete, since the container may have been made with another environment meanwhile (restart as another variant).
  node.baseline = withGeneration({ ...node.plan.environment, SQUALL_LABEL: '', ...given }, how.generation);
  node.wanted = node.baseline;
  await sendReset(agent, events, node, signal);
}

/** Runs the node's process anew with the environment that it should have. Whether it did, its `ready` tells. */
async function sendReset(
  agent: AgentClient,
  events: EventLog,
  node: LiveNode,
  signal: AbortSignal,
): Promise<void> {
  const env = node.wanted;
  let answer: { readonly status: number; readonly body: string };
  try {
    answer = await adminRequest(agent, node, { method: 'POST', path: '/reset', body: { env }, signal });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SquallError && error.code !== 'agent-lost' && error.code.startsWith('agent-')) {
      // The process may be replaced before its answer is read.
      events.noteError(`reset of ${node.name}: ${shortError(error)}`);
      return;
    }
    throw error;
  }
  if (answer.status >= 200 && answer.status < 300) return;
  throw new SquallError(
    `node ${node.name}: answered ${answer.status} to POST /reset; expected 2xx: ${answer.body.slice(0, 200)}`,
    {
      code: 'reset-failed',
      facts: { node: node.name, status: answer.status },
      hint: 'An image without /reset needs a fresh bed for each trial (`bed: fresh`).',
    },
  );
}
