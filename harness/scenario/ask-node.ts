import { SquallError } from '../errors/index.ts';
import type { TrialContext } from './types.ts';

interface Asked {
  readonly node: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

/** @throws SquallError `admin-refused` unless a node's admin port answered 2xx */
export function requireAccepted(
  { node, method, path }: Asked,
  { status, body }: { readonly status: number; readonly body: string },
): void {
  if (status >= 200 && status < 300) return;
  throw new SquallError(
    `node ${node}: answered ${status} to ${method} ${path}; expected 2xx: ${body.slice(0, 200)}`,
    { code: 'admin-refused', facts: { node, path, status } },
  );
}

/** A request to a node's admin port, and its answer. @throws SquallError `admin-refused` unless it answers 2xx */
export async function askNode<T>(
  trial: TrialContext,
  node: string,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<T> {
  const answer = await trial.admin(node, method, path, body);
  requireAccepted({ node, method, path }, answer);
  return JSON.parse(answer.body) as T;
}
