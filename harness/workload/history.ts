import { OPERATION_EVENTS } from './history-event.ts';

/** Thrown by an operation that certainly did not happen: refused before anything was sent, or answered with a no. */
export class DefiniteFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DefiniteFailure';
  }
}

export interface OperationFacts {
  /** Who does it; one process does one thing at a time. */
  readonly process: string;
  /** What is done: `send`, `store`, `retrieve`. */
  readonly kind: string;
  /** The message that it carries, when it carries one. */
  readonly message?: string;
  /** Who ought to receive the message; absent: anybody. */
  readonly to?: readonly string[];
  readonly [fact: string]: unknown;
}

/** An operation between its invocation and its one end. */
export interface OpenOperation {
  readonly operation: string;
  ok(facts?: Readonly<Record<string, unknown>>): void;
  /** It certainly did not happen. */
  failed(reason: string): void;
  /** It may have happened. */
  unknown(reason: string): void;
}

/** Writes the history of one node's clients as events. */
export class History {
  readonly #emit: (event: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly #prefix: string;
  readonly #messages = new Map<string, number>();
  #operations = 0;

  /**
   * @param emit writes an event with its time, in order
   * @param node part of every operation's id, so that ids of different nodes differ
   */
  constructor(emit: (event: string, fields: Readonly<Record<string, unknown>>) => void, node: string) {
    this.#emit = emit;
    this.#prefix = node;
  }

  /** `node/process/1`, `node/process/2`, …: the same in every repetition of a run. */
  nextMessage(process: string): string {
    const count = (this.#messages.get(process) ?? 0) + 1;
    this.#messages.set(process, count);
    return `${this.#prefix}/${process}/${count}`;
  }

  invoke(facts: OperationFacts): OpenOperation {
    this.#operations += 1;
    const operation = `${this.#prefix}#${this.#operations}`;
    this.#emit(OPERATION_EVENTS.invoked, { ...facts, operation });
    let ended = false;
    const end = (event: string, more: Readonly<Record<string, unknown>>): void => {
      if (ended) throw new Error(`operation ${operation}: ended twice; expected one end`);
      ended = true;
      this.#emit(event, { ...more, operation });
    };
    return {
      operation,
      ok: (more = {}) => end(OPERATION_EVENTS.ok, more),
      failed: (reason) => end(OPERATION_EVENTS.failed, { reason }),
      unknown: (reason) => end(OPERATION_EVENTS.unknown, { reason }),
    };
  }

  /** A message came to `by`; said each time it comes. */
  received(message: string, by: string, facts: Readonly<Record<string, unknown>> = {}): void {
    this.#emit(OPERATION_EVENTS.received, { ...facts, message, by });
  }

  /**
   * Does an operation and writes its end: ok when it resolves, failed for a `DefiniteFailure`, unknown for any other error.
   * @returns what it resolved with, or undefined
   */
  async run<T>(facts: OperationFacts, operate: () => Promise<T>): Promise<T | undefined> {
    const open = this.invoke(facts);
    let result: T;
    try {
      result = await operate();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (error instanceof DefiniteFailure) open.failed(reason);
      else open.unknown(reason);
      return undefined;
    }
    open.ok();
    return result;
  }
}
