import { SquallError } from '../../harness/errors/index.ts';
import type { AdminAnswer, AdminHandler, NodeContext } from '../node-kit/index.ts';
import type { Agent } from './agent.ts';
import { AgentError } from './agent-error.ts';

interface AdminParts {
  readonly node: Pick<NodeContext, 'clock' | 'signal'>;
  readonly current: () => Agent;
  readonly restart: () => Agent;
}

const COUNT_MAX = 100_000;

/** What a user does, as requests to the admin port. */
export function adminHandlers({
  node,
  current,
  restart,
}: AdminParts): Readonly<Record<string, AdminHandler>> {
  const handlers: Record<string, (body: Readonly<Record<string, unknown>>) => Promise<unknown> | unknown> = {
    'POST /link': () => current().link(),
    'POST /join': ({ link, interactive }) => ({
      connection: current().join(text('link', link), interactive !== false),
    }),
    'POST /retry': ({ connection }) => {
      current().retry(text('connection', connection));
      return {};
    },
    'POST /servers': ({ servers, proxies }) => {
      const own = texts('servers', servers);
      current().configure(own, proxies === undefined ? own : texts('proxies', proxies));
      return {};
    },
    'POST /send': (body) => send(node, current, body),
    'POST /restart': () => ({ life: restart().state()['life'] }),
  };
  return Object.fromEntries(
    Object.entries(handlers).map(([request, handle]) => [
      request,
      (body) => answered(() => handle((body ?? {}) as Readonly<Record<string, unknown>>), body),
    ]),
  );
}

/** At once, or spread evenly at `perSecond`; the answer does not wait for any of them to be sent. */
function send(
  { clock, signal }: AdminParts['node'],
  current: () => Agent,
  body: Readonly<Record<string, unknown>>,
): unknown {
  const connection = text('connection', body['connection']);
  const count = whole('count', body['count'] ?? 1);
  const perSecond = body['perSecond'];
  if (perSecond === undefined) return { messages: current().send(connection, count) };
  if (typeof perSecond !== 'number' || !(perSecond > 0)) throw refused('perSecond', 'a number above 0');
  let left = count - 1;
  const messages = current().send(connection, 1);
  if (left === 0) return { messages };
  const timer = clock.every(1_000 / perSecond, () => {
    current().send(connection, 1);
    left -= 1;
    if (left === 0) timer.cancel();
  });
  signal.addEventListener('abort', () => timer.cancel(), { once: true });
  return { messages };
}

/** What the agent or the request does not allow is 409 or 400, and no fault of the node. */
async function answered(handle: () => unknown, body: unknown): Promise<AdminAnswer> {
  if (body !== undefined && (typeof body !== 'object' || body === null)) {
    return { status: 400, body: { error: 'expected an object, or no body' } };
  }
  try {
    return { status: 200, body: await handle() };
  } catch (error) {
    if (error instanceof AgentError) return { status: 409, body: { error: error.message } };
    if (error instanceof SquallError && error.blame === 'input') {
      return { status: 400, body: { error: error.message } };
    }
    throw error;
  }
}

function text(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw refused(name, 'a text');
}

function texts(name: string, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.length > 0) return value.map((item) => text(name, item));
  throw refused(name, 'a list of one address or more');
}

function whole(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= COUNT_MAX) return value;
  throw refused(name, `a whole number from 1 to ${COUNT_MAX}`);
}

function refused(name: string, expected: string): SquallError {
  return new SquallError(`${name}: expected ${expected}`, { code: 'bad-request', blame: 'input' });
}
