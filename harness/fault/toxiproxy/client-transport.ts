import { SquallError } from '../../errors/index.ts';
import type { ControlChannel } from './control-channel.ts';

/** The server gives up on a request after 25 s with 503; a healthy one answers in milliseconds. */
export const CONTROL_DEADLINE_MS = 5_000;

/** 503s in a row that mean that the server's lock is held for good (incident 1). */
const WEDGED_AFTER = 2;

const UNAVAILABLE = 503;

/**
 * What toxiproxy-node-client sends its requests through, in place of its own HTTP client: a deadline on every call,
 * errors with the server's text, and the judgement whether the server is wedged.
 */
export class ClientTransport {
  readonly #control: ControlChannel;
  readonly #listeners = new Set<(error: SquallError) => void>();
  #unavailable = 0;
  #wedged: SquallError | undefined;

  constructor(control: ControlChannel) {
    this.#control = control;
  }

  get wedged(): SquallError | undefined {
    return this.#wedged;
  }

  onWedged(listener: (error: SquallError) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async get<T>(path: string): Promise<{ data: T }> {
    return { data: parse<T>(path, await this.#send('GET', path)) };
  }

  async post<T>(path: string, body?: unknown): Promise<{ data: T }> {
    return { data: parse<T>(path, await this.#send('POST', path, body)) };
  }

  async delete(path: string): Promise<void> {
    await this.#send('DELETE', path);
  }

  getText(path: string): Promise<string> {
    return this.#send('GET', path);
  }

  async #send(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<string> {
    if (this.#wedged) throw this.#wedged;
    const answer = await this.#answer(method, path, body);
    if (answer.status === UNAVAILABLE) {
      this.#unavailable += 1;
      if (this.#unavailable >= WEDGED_AFTER)
        throw this.#wedge(`answered 503 ${this.#unavailable} times in a row`);
    } else {
      this.#unavailable = 0;
    }
    if (answer.status >= 200 && answer.status < 300) return answer.body;
    throw new SquallError(
      `toxiproxy ${method} ${path}: answered ${answer.status}: ${serverText(answer.body)}`,
      {
        code: 'toxiproxy-refused',
        facts: { method, path, status: answer.status, body: answer.body.slice(0, 500) },
      },
    );
  }

  async #answer(method: 'GET' | 'POST' | 'DELETE', path: string, body: unknown) {
    try {
      return await this.#control(method, path, body, CONTROL_DEADLINE_MS);
    } catch (error) {
      if (error instanceof SquallError && error.code === 'toxiproxy-silent') {
        throw this.#wedge(`did not answer ${method} ${path} within ${CONTROL_DEADLINE_MS} ms`, error);
      }
      throw error;
    }
  }

  #wedge(what: string, cause?: unknown): SquallError {
    this.#wedged ??= new SquallError(
      `toxiproxy: wedged, it ${what}; expected an answer within milliseconds`,
      {
        code: 'toxiproxy-wedged',
        blame: 'void',
        hint: 'The server is replaced and the trial is void: repeat it.',
        cause,
      },
    );
    for (const listener of [...this.#listeners]) listener(this.#wedged);
    this.#listeners.clear();
    return this.#wedged;
  }
}

/** The HTTP status of an error of this transport. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof SquallError) || error.code !== 'toxiproxy-refused') return undefined;
  return Number(error.facts.status);
}

function parse<T>(path: string, text: string): T {
  if (text === '') return undefined as T;
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new SquallError(`toxiproxy ${path}: answered what is not JSON: ${text.slice(0, 200)}`, {
      code: 'toxiproxy-garbled',
      blame: 'void',
      cause: error,
    });
  }
}

/** The server's own words: `{"error": "…", "status": 404}`, or plain text. */
function serverText(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    if (typeof error === 'string') return error;
  } catch {
    // Not JSON: an older server, or a proxy in front of it. The text itself is the best there is.
    return body.slice(0, 300);
  }
  return body.slice(0, 300);
}
