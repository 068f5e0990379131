import type { ContainerState, Engine } from '../engine/index.ts';
import type { AgentClient } from '../fault/index.ts';
import { adminRequest } from './admin-request.ts';
import { shortError } from './event-log.ts';
import type { LiveNode } from './live-node.ts';

/** What can be said of a node before it is torn down. */
export interface Diagnosis {
  readonly node: string;
  readonly container: ContainerState | undefined;
  /** Body of the node's own `/state`, when it has one. */
  readonly state: string | undefined;
  readonly lastLines: readonly string[];
  /** What could not be learned, and why. */
  readonly problems: readonly string[];
}

const STATE_TIMEOUT_MS = 3_000;
const STATE_CHARACTERS = 65_536;

export async function diagnoseNode(engine: Engine, agent: AgentClient, node: LiveNode): Promise<Diagnosis> {
  const problems: string[] = [];
  const note = (what: string) => (error: unknown) => {
    problems.push(`${what}: ${shortError(error)}`);
    return undefined;
  };
  const [container, state] = await Promise.all([
    engine.inspectContainer(node.containerId).catch(note('container')),
    node.plan.adminPort === undefined
      ? undefined
      : adminRequest(agent, node, { method: 'GET', path: '/state', timeoutMs: STATE_TIMEOUT_MS })
          .then(({ body }) => body.slice(0, STATE_CHARACTERS))
          .catch(note('/state')),
  ]);
  return { node: node.name, container, state, lastLines: node.log.tail(), problems };
}
