import type { Clock, Timer } from '../../harness/clock/index.ts';
import type { BusyBook } from './busy-book.ts';
import { type ChunkKey, keyOf } from './chunk-key.ts';
import type { FetchAnswer, FetchOutcome } from './fetch-answer.ts';
import type { Attempt } from './fetch-entry.ts';
import type { FetchQueue } from './fetch-queue.ts';
import type { FetchRules } from './fetch-rules.ts';
import { LatencySketch } from './latency-sketch.ts';
import type { Ending } from './queue-ports.ts';
import type { SourceHealth } from './source-health.ts';

/** The way to holders. */
export interface FetchWire {
  /**
   * Asks a source for a key; exactly one of the callbacks is called, once, unless it is called off.
   * @returns calls it off
   */
  fetch(
    attempt: Attempt,
    callbacks: { answered(answer: FetchAnswer): void; lost(reason: string): void },
  ): () => void;
}

export interface FetchWorkerPorts {
  readonly clock: Clock;
  /** Real time that computing takes, for the summary. */
  stopwatchMs(): number;
  readonly wire: FetchWire;
  /** Keeps a chunk; rejects when it cannot. */
  store(key: ChunkKey, bytes: Uint8Array): Promise<void>;
  /** A holder answered busy, and is put last for so long. */
  onBusy(source: string, waitMs: number, leftMs: number): void;
  /** An attempt has ended, for events, trust and figures. */
  onFinished(finished: FinishedAttempt): void;
  /** After each look at the queue that started all that could start. */
  onFilled(): void;
}

export interface FinishedAttempt {
  readonly attempt: Attempt;
  readonly outcome: FetchOutcome;
  readonly reason: string;
  readonly tookMs: number;
  /** Bytes that came, whatever became of them. */
  readonly bytes: number;
}

export interface FetchWorkerLimits {
  readonly concurrency: number;
  readonly fetchTimeoutMs: number;
  /** A busy answer ends its attempt at once, and the key asks the next holder. */
  readonly rotateOnBusy: boolean;
}

interface Running {
  readonly attempt: Attempt;
  readonly startedMs: number;
  readonly timeoutMs: number;
  timer: Timer;
  /** Place of its answer in the sequence, once it came. */
  answerPlace: number | undefined;
  /** Whether that answer says that its source answers. */
  counted: boolean;
  callOff(): void;
  ended: boolean;
}

/** Keeps up to `concurrency` fetches under way, each until its chunk is stored or its key has moved on. */
export class FetchWorker {
  readonly latency = new LatencySketch();
  readonly lock = { fills: 0, waitMs: 0, waitMaximumMs: 0, holdMs: 0, holdMaximumMs: 0 };
  concurrency: number;
  /** Of attempts that begin from now on. */
  fetchTimeoutMs: number;
  readonly #rules: FetchRules;
  readonly #limits: FetchWorkerLimits;
  readonly #ports: FetchWorkerPorts;
  readonly #queue: FetchQueue;
  readonly #health: SourceHealth;
  readonly #busy: BusyBook;
  readonly #running = new Map<Attempt, Running>();
  #fillAskedMs: number | undefined;
  #stopped = false;

  constructor(
    rules: FetchRules,
    limits: FetchWorkerLimits,
    ports: FetchWorkerPorts,
    queue: FetchQueue,
    health: SourceHealth,
    busy: BusyBook,
  ) {
    this.concurrency = limits.concurrency;
    this.fetchTimeoutMs = limits.fetchTimeoutMs;
    this.#rules = rules;
    this.#limits = limits;
    this.#ports = ports;
    this.#queue = queue;
    this.#health = health;
    this.#busy = busy;
  }

  get running(): number {
    return this.#running.size;
  }

  /** Something may start: looks at the queue once what is being said has been said. */
  wake(): void {
    if (this.#fillAskedMs !== undefined || this.#stopped) return;
    this.#fillAskedMs = this.#ports.stopwatchMs();
    queueMicrotask(() => this.#fill());
  }

  /** A key is not wanted any more. */
  cancel(key: ChunkKey): void {
    this.#callOff(this.#queue.cancel(key), 'key cancelled');
  }

  /** A source is gone. */
  depart(source: string): void {
    this.#callOff(this.#queue.depart(source), 'source departed');
  }

  /** Calls everything off; nothing starts afterwards. */
  stop(): void {
    this.#stopped = true;
    this.#callOff([...this.#running.keys()], 'shutdown');
  }

  #fill(): void {
    const askedMs = this.#fillAskedMs ?? 0;
    const beganMs = this.#ports.stopwatchMs();
    this.#fillAskedMs = undefined;
    const starts: Attempt[] = [];
    while (!this.#stopped && this.#running.size + starts.length < this.concurrency) {
      const attempt = this.#queue.next();
      if (!attempt) break;
      starts.push(attempt);
    }
    const waitMs = beganMs - askedMs;
    const holdMs = this.#ports.stopwatchMs() - beganMs;
    this.lock.fills += 1;
    this.lock.waitMs += waitMs;
    this.lock.holdMs += holdMs;
    this.lock.waitMaximumMs = Math.max(this.lock.waitMaximumMs, waitMs);
    this.lock.holdMaximumMs = Math.max(this.lock.holdMaximumMs, holdMs);
    for (const attempt of starts) this.#run(attempt);
    this.#ports.onFilled();
  }

  #run(attempt: Attempt): void {
    const { clock, wire } = this.#ports;
    const running: Running = {
      attempt,
      startedMs: clock.nowMs(),
      timeoutMs: this.fetchTimeoutMs,
      timer: clock.after(this.fetchTimeoutMs, () => this.#unanswered(running, 'timeout', 'timeout')),
      answerPlace: undefined,
      counted: false,
      callOff: () => undefined,
      ended: false,
    };
    this.#running.set(attempt, running);
    running.callOff = wire.fetch(attempt, {
      answered: (answer) => this.#answered(running, answer),
      lost: (reason) => this.#unanswered(running, 'failed', reason),
    });
  }

  #unanswered(running: Running, outcome: FetchOutcome, reason: string): void {
    if (running.ended || running.answerPlace !== undefined) return;
    running.callOff();
    this.#health.unanswered(running.attempt.source, running.attempt.place);
    this.#end(running, outcome, reason, 'failed', 0);
  }

  /** It counts now: before its content is looked at, and long before it is stored. */
  #answered(running: Running, answer: FetchAnswer): void {
    if (running.ended || running.answerPlace !== undefined) return;
    const { attempt } = running;
    running.timer.cancel();
    running.answerPlace = this.#health.nextPlace();
    running.counted = answer.kind === 'chunk' || this.#rules.anyPayloadAnswers;
    if (running.counted && this.#rules.countEarlyAnswers)
      this.#health.answered(attempt.source, running.answerPlace);
    if (!running.counted) this.#health.unanswered(attempt.source, attempt.place);
    if (answer.kind !== 'busy') this.#busy.served(attempt.source);
    if (answer.kind === 'chunk') void this.#keep(running, answer.bytes);
    else if (answer.kind === 'busy') this.#coolDown(running, answer.waitMs);
    else this.#end(running, 'failed', answer.kind === 'error' ? answer.reason : 'not found', 'failed', 0);
    this.wake();
  }

  async #keep(running: Running, bytes: Uint8Array): Promise<void> {
    const { attempt } = running;
    if (keyOf(bytes) !== attempt.key) {
      this.#end(running, 'failed', 'bad chunk', 'failed', bytes.length);
      return;
    }
    try {
      await this.#ports.store(attempt.key, bytes);
    } catch (error) {
      if (!this.#rules.localFailureSpares) this.#health.unanswered(attempt.source, this.#health.nextPlace());
      const reason = `store: ${error instanceof Error ? error.message : String(error)}`;
      this.#end(running, 'failed', reason, 'abandoned', bytes.length);
      return;
    }
    this.#end(running, 'ok', '', 'stored', bytes.length);
  }

  /** Waits the cooldown out, at most until the attempt's own timeout, and then the key moves on. */
  #coolDown(running: Running, waitMs: number): void {
    const { clock } = this.#ports;
    const leftMs = this.#busy.record(running.attempt.source, waitMs);
    this.#ports.onBusy(running.attempt.source, waitMs, leftMs);
    const end = (): void => this.#end(running, 'busy', `cooling for ${Math.round(leftMs)} ms`, 'failed', 0);
    if (this.#limits.rotateOnBusy) {
      end();
      return;
    }
    const untilTimeoutMs = running.startedMs + running.timeoutMs - clock.nowMs();
    running.timer = clock.after(
      this.#rules.busyWaitCutShort ? Math.min(leftMs, untilTimeoutMs) : leftMs,
      end,
    );
  }

  #end(running: Running, outcome: FetchOutcome, reason: string, ending: Ending, bytes: number): void {
    if (running.ended) return;
    const { attempt } = running;
    this.#close(running, outcome, reason, bytes);
    if (running.answerPlace !== undefined && running.counted)
      this.#health.answered(attempt.source, running.answerPlace);
    const retry = this.#queue.finish(attempt, ending);
    if (retry && !this.#stopped) this.#run(retry);
    this.wake();
  }

  #close(running: Running, outcome: FetchOutcome, reason: string, bytes: number): void {
    running.ended = true;
    running.timer.cancel();
    this.#running.delete(running.attempt);
    const tookMs = this.#ports.clock.nowMs() - running.startedMs;
    this.latency.add(tookMs);
    this.#ports.onFinished({ attempt: running.attempt, outcome, reason, tookMs, bytes });
  }

  #callOff(attempts: readonly Attempt[], reason: string): void {
    for (const attempt of attempts) {
      const running = this.#running.get(attempt);
      if (!running || running.ended) continue;
      running.callOff();
      this.#close(running, 'cancelled', reason, 0);
    }
    this.wake();
  }
}
