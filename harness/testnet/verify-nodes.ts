import type { Engine } from '../engine/index.ts';
import type { AgentClient } from '../fault/index.ts';
import { adminRequest } from './admin-request.ts';
import { mapBounded } from './bounded.ts';
import { shortError } from './event-log.ts';
import type { LiveNode } from './live-node.ts';
import { LABEL } from './types.ts';

const CHECK_CONCURRENCY = 16;

export interface Cleanliness {
  readonly clean: boolean;
  /** One sentence each. */
  readonly problems: readonly string[];
}

/** Reads the bed's state back from the agent, the engine and the nodes themselves; our own memory is not asked. */
export async function verifyNodes(of: {
  readonly engine: Engine;
  readonly agent: AgentClient;
  readonly bedId: string;
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
  readonly bedId: string;
  readonly nodes: readonly LiveNode[];
}): Promise<{ readonly problems: readonly string[]; readonly sound: readonly LiveNode[] }> {
  const listed = await of.engine.listContainers([`${LABEL.bed}=${of.bedId}`, `${LABEL.kind}=node`]);
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
    try {
      const { status } = await adminRequest(of.agent, node, {
        method: 'GET',
        path: '/healthz',
        ...(of.signal ? { signal: of.signal } : {}),
      });
      if (status !== 200) problems.push(`node ${node.name} answers ${status} to /healthz`);
    } catch (error) {
      of.signal?.throwIfAborted();
      problems.push(`node ${node.name} does not answer /healthz: ${shortError(error)}`);
    }
  });
  return problems;
}
