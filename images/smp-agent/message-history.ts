import { History, type OpenOperation } from '../../harness/workload/index.ts';

type Emit = (event: string, fields: Readonly<Record<string, unknown>>) => void;

/**
 * The messages of one life of the agent as a history: a send is under way until the relay has taken the message. It
 * outlives restarts inside the process, so that a message of the life before still comes to an end.
 */
export class MessageHistory {
  readonly #node: string;
  readonly #emit: Emit;
  readonly #open = new Map<string, OpenOperation>();
  #history: History;

  constructor(emit: Emit, node: string, life: number) {
    this.#emit = emit;
    this.#node = node;
    this.#history = historyOf(emit, node, life);
  }

  /** From now on ids are those of another life. */
  begin(life: number): void {
    this.#history = historyOf(this.#emit, this.#node, life);
  }

  /** A message that is to be sent. @returns its id */
  invoke(connection: string, to: string, destination: string): string {
    const message = this.#history.nextMessage(connection);
    const facts = { process: this.#node, kind: 'send', message, to: [to], connection, destination };
    this.#open.set(message, this.#history.invoke(facts));
    return message;
  }

  /** The end of a send; of a life before this process there is none to end. */
  ended(message: string, end: { readonly as: 'ok' | 'failed' | 'unknown'; readonly reason?: string }): void {
    const operation = this.#open.get(message);
    this.#open.delete(message);
    if (end.as === 'ok') operation?.ok();
    else operation?.[end.as](end.reason ?? '');
  }

  received(message: string, connection: string): void {
    this.#history.received(message, this.#node, { connection });
  }
}

/** Ids of different lives of a node differ. */
function historyOf(emit: Emit, node: string, life: number): History {
  return new History(emit, life === 0 ? node : `${node}.${life}`);
}
