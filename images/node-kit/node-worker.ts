import { Worker } from 'node:worker_threads';
import type { AdminAnswer } from './admin-answer.ts';
import type { FromWorker, ToWorker, WorkerFacts } from './messages.ts';

const ANSWER_WITHIN_MS = 5_000;

/** The node as the main thread sees it: one life, from start to stop or failure. */
export class NodeWorker {
  readonly #worker: Worker;
  readonly #asked = new Map<number, (answer: AdminAnswer) => void>();
  readonly #stopped: Promise<void>;
  #lastId = 0;
  #ready = false;
  #stopping = false;

  /** @param onFailure the node ended although nobody stopped it */
  constructor(
    entry: URL,
    environment: Readonly<Record<string, string>>,
    facts: WorkerFacts,
    onFailure: (reason: string) => void,
  ) {
    this.#worker = new Worker(entry, { env: { ...environment }, workerData: facts });
    this.#stopped = new Promise((resolve) => {
      this.#worker.on('message', (message: FromWorker) => {
        if (message.kind === 'ready') this.#ready = true;
        else if (message.kind === 'answer') this.#answer(message.id, message.answer);
        else resolve();
      });
      this.#worker.once('exit', () => resolve());
    });
    let reason: string | undefined;
    this.#worker.once('error', (error) => {
      reason = error.stack ?? error.message;
    });
    this.#worker.once('exit', (code) => {
      for (const id of [...this.#asked.keys()])
        this.#answer(id, { status: 503, body: { error: 'the node ended' } });
      if (!this.#stopping) onFailure(reason ?? `the node ended by itself with code ${code}`);
    });
  }

  get ready(): boolean {
    return this.#ready;
  }

  ask(request: string, body: unknown): Promise<AdminAnswer> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const busy = `the node did not answer within ${ANSWER_WITHIN_MS} ms: its event loop is busy`;
      const tooLate = setTimeout(
        () => this.#answer(id, { status: 504, body: { error: busy } }),
        ANSWER_WITHIN_MS,
      );
      this.#asked.set(id, (answer) => {
        clearTimeout(tooLate);
        resolve(answer);
      });
      this.#tell({ kind: 'ask', id, request, body });
    });
  }

  /** Lets the node say its last words for `withinMs`, then ends it. */
  async stop(withinMs: number): Promise<void> {
    this.#stopping = true;
    this.#tell({ kind: 'stop' });
    let tooLate: NodeJS.Timeout | undefined;
    await Promise.race([
      this.#stopped,
      new Promise((resolve) => {
        tooLate = setTimeout(resolve, withinMs);
      }),
    ]);
    clearTimeout(tooLate);
    await this.#worker.terminate();
  }

  #tell(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #answer(id: number, answer: AdminAnswer): void {
    this.#asked.get(id)?.(answer);
    this.#asked.delete(id);
  }
}
