import { SquallError } from '../errors/index.ts';
import type { AgentClient } from '../fault/index.ts';
import type { LiveNode } from './live-node.ts';

export interface AdminAnswer {
  readonly status: number;
  readonly body: string;
}

const TIMEOUT_MS = 10_000;

/**
 * One request to a node's admin port on its loopback: made by the agent inside the node's namespace, so that it needs
 * no published port and no fault touches it.
 * @throws SquallError `no-admin-port` (input), or the agent's own
 */
export async function adminRequest(
  agent: AgentClient,
  node: LiveNode,
  request: {
    readonly method: 'GET' | 'POST';
    readonly path: string;
    readonly body?: unknown;
    readonly signal?: AbortSignal;
    readonly timeoutMs?: number;
  },
): Promise<AdminAnswer> {
  const { adminPort } = node.plan;
  if (adminPort === undefined) {
    throw new SquallError(
      `node ${node.name}: has no admin port; expected one for ${request.method} ${request.path}`,
      {
        code: 'no-admin-port',
        blame: 'input',
        hint: 'Give adminPort in the topology when the image has such a port on its loopback.',
      },
    );
  }
  const { status, body } = await agent.http(
    {
      node: node.name,
      port: adminPort,
      method: request.method,
      path: request.path,
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      timeoutMs: request.timeoutMs ?? TIMEOUT_MS,
    },
    request.signal,
  );
  return { status, body };
}
