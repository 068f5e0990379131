import { SquallError } from '../../harness/errors/index.ts';
import type { TrialContext } from '../../harness/index.ts';

/** A request to a node's admin port. @throws SquallError `admin-refused` unless it answers 2xx */
export async function ask<T>(
  trial: TrialContext,
  node: string,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<T> {
  const answer = await trial.admin(node, method, path, body);
  if (answer.status >= 200 && answer.status < 300) return JSON.parse(answer.body) as T;
  throw new SquallError(
    `node ${node}: answered ${answer.status} to ${method} ${path}; expected 2xx: ${answer.body.slice(0, 200)}`,
    { code: 'admin-refused', facts: { node, path, status: answer.status } },
  );
}
