import type { AttachedProcess } from '../../engine/index.ts';
import { SquallError } from '../../errors/index.ts';
import { type AgentEvent, eventSchema, responseSchema } from './protocol.ts';

interface Pending {
  readonly op: string;
  readonly sentNs: bigint;
  resolve(answer: Readonly<Record<string, unknown>>): void;
  reject(error: unknown): void;
}

const STDERR_TAIL_LINES = 20;

/** A deadline that is noticed so much too late says something of this process first. */
const STOOD_STILL_MS = 100;
/** To read then what has come meanwhile, before the agent is called lost. */
const UNREAD_MS = 2_000;

/**
 * Request and answer over the agent's JSON lines. The link is lost when the agent's output ends, when it says what is
 * not the protocol, or when it misses a deadline: a controller that cannot answer cannot be trusted to hold or lift.
 * Losing it rejects everything pending, once, and closes the agent's input, whose end makes the agent lift by itself.
 */
export class AgentLink {
  readonly #process: AttachedProcess;
  readonly #pending = new Map<number, Pending>();
  readonly #eventListeners = new Set<(event: AgentEvent) => void>();
  readonly #lostListeners = new Set<(error: SquallError) => void>();
  readonly #endListeners = new Set<(error: SquallError) => void>();
  readonly #errorTail: string[] = [];
  #nextId = 1;
  #lost: SquallError | undefined;
  /** Why no request is taken any more: the loss, or an end that was wanted. */
  #over: SquallError | undefined;
  #ended = false;
  #expectEnd = false;
  readonly #finished: Promise<void>;

  constructor(process: AttachedProcess) {
    this.#process = process;
    this.#finished = this.#read();
    void this.#readErrors();
  }

  /** Set once the agent is gone unasked, or not to be trusted. */
  get lost(): SquallError | undefined {
    return this.#lost;
  }

  /** Resolves when the agent's output has ended. */
  get finished(): Promise<void> {
    return this.#finished;
  }

  onEvent(listener: (event: AgentEvent) => void): () => void {
    this.#eventListeners.add(listener);
    return () => this.#eventListeners.delete(listener);
  }

  onLost(listener: (error: SquallError) => void): () => void {
    this.#lostListeners.add(listener);
    return () => this.#lostListeners.delete(listener);
  }

  /** Called once when the agent is over, lost or by our wish; at once when it is already. */
  onEnd(listener: (error: SquallError) => void): () => void {
    if (this.#over) listener(this.#over);
    else this.#endListeners.add(listener);
    return () => this.#endListeners.delete(listener);
  }

  /**
   * One request. The abort signal gives up waiting (the agent may still act); the deadline declares the agent lost.
   * @throws SquallError `agent-lost`, or the agent's own code (`agent-…`)
   */
  request(
    op: string,
    params: Readonly<Record<string, unknown>>,
    options: { readonly deadlineMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<Readonly<Record<string, unknown>>> {
    if (this.#over) return Promise.reject(this.#over);
    if (options.signal?.aborted) return Promise.reject(options.signal.reason);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const dueMs = performance.now() + options.deadlineMs;
      let timer = setTimeout(() => {
        const lose = (): void => this.#lose(`did not answer "${op}" within ${options.deadlineMs} ms`, { op });
        // This process stood still over the deadline: the answer may have come, and lie unread.
        if (performance.now() - dueMs > STOOD_STILL_MS) timer = setTimeout(lose, UNREAD_MS);
        else lose();
      }, options.deadlineMs);
      const onAbort = () => settle(() => reject(options.signal?.reason));
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        options.signal?.removeEventListener('abort', onAbort);
        this.#pending.delete(id);
        finish();
      };
      options.signal?.addEventListener('abort', onAbort, { once: true });
      this.#pending.set(id, {
        op,
        sentNs: process.hrtime.bigint(),
        resolve: (answer) => settle(() => resolve(answer)),
        reject: (error) => settle(() => reject(error)),
      });
      try {
        this.#process.write(`${JSON.stringify({ id, op, ...params })}\n`);
      } catch (error) {
        this.#lose('its input refused a line', { op }, error);
      }
    });
  }

  /** The end of the agent's output is wanted from now on. */
  expectEnd(): void {
    this.#expectEnd = true;
  }

  /** Ends the agent's input: its deadman lifts everything and it exits. */
  close(): void {
    this.#expectEnd = true;
    this.#process.close();
  }

  async #read(): Promise<void> {
    try {
      for await (const line of this.#process.lines) {
        if (line.trim() !== '') this.#take(line);
      }
      this.#ended = true;
      this.#lose('its output ended', {});
    } catch (error) {
      this.#ended = true;
      this.#lose('its output broke off', {}, error);
    }
  }

  async #readErrors(): Promise<void> {
    try {
      for await (const line of this.#process.errorLines) {
        this.#errorTail.push(line.slice(0, 500));
        if (this.#errorTail.length > STDERR_TAIL_LINES) this.#errorTail.shift();
      }
    } catch (error) {
      this.#errorTail.push(`(standard error broke off: ${String(error)})`);
    }
  }

  #take(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch (error) {
      this.#lose('it said what is not JSON', { line: line.slice(0, 200) }, error);
      return;
    }
    const response = responseSchema.safeParse(message);
    if (response.success) {
      const pending = this.#pending.get(response.data.id);
      if (!pending) return;
      if (response.data.ok) pending.resolve(response.data);
      else pending.reject(refusal(pending.op, response.data.error));
      return;
    }
    const event = eventSchema.safeParse(message);
    if (!event.success) {
      this.#lose('it said neither an answer nor an event', { line: line.slice(0, 200) });
      return;
    }
    const { event: name, monoNs, ...fields } = event.data;
    const heard: AgentEvent = { event: name, monoNs: monoNs ?? Number(process.hrtime.bigint()), fields };
    for (const listener of [...this.#eventListeners]) listener(heard);
  }

  #lose(what: string, facts: Readonly<Record<string, unknown>>, cause?: unknown): void {
    if (this.#over) return;
    const pendingOps = [...this.#pending.values()].map((pending) => pending.op);
    const error = this.#expectEnd
      ? new SquallError('packet agent: has been told to leave, and left', { code: 'agent-closed', cause })
      : new SquallError(`packet agent: ${what}; expected it to live and answer until told to leave`, {
          code: 'agent-lost',
          blame: 'void',
          facts: { ...facts, pendingOps, lastErrors: [...this.#errorTail] },
          hint: 'The trial is void: faults are lifted by the agent itself, or gone with it. Repeat it on a fresh bed.',
          cause,
        });
    this.#over = error;
    if (!this.#expectEnd) this.#lost = error;
    for (const pending of [...this.#pending.values()]) pending.reject(error);
    if (!this.#ended) this.#process.close();
    for (const listener of [...this.#endListeners]) listener(error);
    if (this.#lost) for (const listener of [...this.#lostListeners]) listener(error);
  }
}

function refusal(op: string, error: { code: string; message: string } | undefined): SquallError {
  return new SquallError(`packet agent: refused "${op}": ${error?.message ?? 'no reason given'}`, {
    code: `agent-${error?.code ?? 'refused'}`,
    facts: { op },
  });
}
