import { SquallError } from '../../errors/index.ts';
import type { AgentClient } from '../agent/agent-client.ts';

/** A way to a Toxiproxy server's control port: one request, one answer, or an error within the deadline. */
export type ControlChannel = (
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body: unknown,
  deadlineMs: number,
) => Promise<{ readonly status: number; readonly body: string }>;

export const CONTROL_PORT = 8474;

/** The agent's codes of a request that got no answer in time. */
const SILENT_CODES = ['agent-http-timeout'];

/**
 * The control port of our server listens on the loopback of its own network namespace, where no node can reach it; the
 * packet agent makes the requests from inside (docs/decisions/toxiproxy-control-port.md).
 */
export function controlThroughAgent(agent: AgentClient, node: string): ControlChannel {
  return async (method, path, body, deadlineMs) => {
    try {
      const { status, body: text } = await agent.http({
        node,
        port: CONTROL_PORT,
        method,
        path,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeoutMs: deadlineMs,
      });
      return { status, body: text };
    } catch (error) {
      if (error instanceof SquallError && SILENT_CODES.includes(error.code))
        throw silent(method, path, deadlineMs, error);
      throw error;
    }
  };
}

/** A server that somebody else runs, by its URL. `localhost` is taken as 127.0.0.1: it may mean ::1, where no server listens. */
export function controlByUrl(url: string): ControlChannel {
  const base = url.replace(/\/+$/, '').replace('//localhost', '//127.0.0.1');
  return async (method, path, body, deadlineMs) => {
    try {
      const answer = await fetch(`${base}${path}`, {
        method,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
        signal: AbortSignal.timeout(deadlineMs),
      });
      return { status: answer.status, body: await answer.text() };
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError')
        throw silent(method, path, deadlineMs, error);
      throw new SquallError(`toxiproxy ${method} ${path}: the control port at ${base} cannot be reached`, {
        code: 'toxiproxy-unreachable',
        blame: 'void',
        cause: error,
      });
    }
  };
}

/** No answer within the deadline: what a wedged server does. */
export function silent(method: string, path: string, deadlineMs: number, cause?: unknown): SquallError {
  return new SquallError(`toxiproxy ${method} ${path}: no answer within ${deadlineMs} ms`, {
    code: 'toxiproxy-silent',
    blame: 'void',
    cause,
  });
}
