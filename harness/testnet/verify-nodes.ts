import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../engine/index.ts';
import type { AgentClient } from '../fault/index.ts';
import { adminRequest } from './admin-request.ts';
import { mapBounded } from './bounded.ts';
import { shortError } from './event-log.ts';
import type { LiveNode } from './live-node.ts';
import { nowNs } from './monotonic.ts';

const CHECK_CONCURRENCY = 16;
/** A process that a lifted fault has just started again does not listen yet, or answers 503 until it is ready: it is asked
 * again for so long. */
const READY_WITHIN_MS = 10_000;
const ASK_AGAIN_MS = 100;

export interface Cleanliness {
  readonly clean: boolean;
  /** One sentence each. */
  readonly problems: readonly string[];
}

/** Reads the bed's state back from the agent, the engine and the nodes themselves; our own memory is not asked. */
export async function verifyNodes(of: {
  readonly engine: Engine;
  readonly agent: AgentClient;
  readonly nodeLabels: readonly string[];
  readonly nodes: readonly LiveNode[];
  readonly standingRedirects: number;
  readonly signal?: AbortSignal;
}): Promise<Cleanliness> {
  const [agent, containers] = await Promise.all([agentProblems(of), containerProblems(of)]);
  // A node that is paused or gone would only be waited for.
  const health = await healthProblems({ ...of, nodes: containers.sound });
  const problems = [...agent, ...containers.problems, ...health];
  return { clean: problems.length === 0, problems };
}

async function agentProblems(of: {
  readonly agent: AgentClient;
  readonly standingRedirects: number;
  readonly signal?: AbortSignal;
}): Promise<string[]> {
  if (of.agent.lost) return [of.agent.lost.message];
  try {
    const snapshot = await of.agent.snapshot(of.signal);
    return [
      ...snapshot.faults.map((fault) => `fault ${fault.id} is still ${fault.state}`),
      ...(snapshot.redirects.length === of.standingRedirects
        ? []
        : [`${snapshot.redirects.length} redirections stand; expected ${of.standingRedirects}`]),
    ];
  } catch (error) {
    of.signal?.throwIfAborted();
    return [`the agent could not say what is in force: ${shortError(error)}`];
  }
}

async function containerProblems(of: {
  readonly engine: Engine;
  readonly nodeLabels: readonly string[];
  readonly nodes: readonly LiveNode[];
}): Promise<{ readonly problems: readonly string[]; readonly sound: readonly LiveNode[] }> {
  const listed = await of.engine.listContainers(of.nodeLabels);
  const stateById = new Map(listed.map(({ id, state }) => [id, state]));
  const doubtful = of.nodes.filter((node) => stateById.get(node.containerId) !== 'running' || node.exit);
  const problems = doubtful.map((node) => {
    const state = stateById.get(node.containerId) ?? 'gone';
    return `node ${node.name} is ${node.exit ? `ended (${node.exit.cause})` : state}`;
  });
  const known = new Set(of.nodes.map((node) => node.containerId));
  for (const { id, name } of listed)
    if (!known.has(id)) problems.push(`container ${name} is not one of the bed's`);
  // A process that was replaced outside our sight has another PID; one look at each is cheap enough.
  const running = of.nodes.filter((node) => !doubtful.includes(node));
  const checked = await mapBounded(running, CHECK_CONCURRENCY, async (node) => {
    const state = await of.engine.inspectContainer(node.containerId);
    if (state?.pid === node.pid) return [node];
    problems.push(`node ${node.name} runs as PID ${state?.pid}; expected ${node.pid}`);
    return [];
  });
  return { problems, sound: checked.flat() };
}

async function healthProblems(of: {
  readonly agent: AgentClient;
  readonly nodes: readonly LiveNode[];
  readonly signal?: AbortSignal;
}): Promise<string[]> {
  if (of.agent.lost) return [];
  const asked = of.nodes.filter(
    (node) => node.plan.adminPort !== undefined && node.plan.image.kind === 'ours',
  );
  const problems: string[] = [];
  await mapBounded(asked, CHECK_CONCURRENCY, async (node) => {
    const problem = await healthProblem(of.agent, node, of.signal);
    if (problem !== undefined) problems.push(problem);
  });
  return problems;
}

async function healthProblem(
  agent: AgentClient,
  node: LiveNode,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const untilNs = nowNs() + READY_WITHIN_MS * 1e6;
  for (;;) {
    try {
      const { status } = await adminRequest(agent, node, {
        method: 'GET',
        path: '/healthz',
        ...(signal ? { signal } : {}),
      });
      if (status === 200) return undefined;
      if (status !== 503 || !isStarting(node)) return `node ${node.name} answers ${status} to /healthz`;
    } catch (error) {
      signal?.throwIfAborted();
      // A request that hung has waited long enough already; one that was refused at once has not.
      if (agent.lost || nowNs() >= untilNs)
        return `node ${node.name} does not answer /healthz: ${shortError(error)}`;
    }
    await sleep(ASK_AGAIN_MS, undefined, signal ? { signal } : {});
  }
}

/** Its process began so lately that it may not be ready yet. */
function isStarting({ startedNs }: LiveNode): boolean {
  return nowNs() < startedNs + READY_WITHIN_MS * 1e6;
}
