import { keyOf } from '../chunk-key.ts';
import type { FetchAnswer } from '../fetch-answer.ts';
import type { Attempt } from '../fetch-entry.ts';
import { FetchWorker, type FinishedAttempt } from '../fetch-worker.ts';
import { QueueWorld, TIMEOUT_MS } from './queue-world.ts';
import type { Variant } from './rule-test.ts';

/** A holder as its requester sees it: what it makes of a request, and after how long; undefined: nothing, ever. */
export type Holder = (
  attempt: Attempt,
  outstanding: number,
) => { readonly afterMs: number; readonly answer: FetchAnswer } | undefined;

export const chunk = (index: number): Buffer => Buffer.from(`chunk ${index}`);

interface WorkerOptions {
  readonly concurrency?: number;
  readonly rotateOnBusy?: boolean;
  /** How long a write takes, and whether it fails. */
  readonly store?: (index: number) => { readonly afterMs: number; readonly fails?: boolean };
}

/** A worker with its queue, on a led clock, against holders that do as they are told. */
export class WorkerWorld extends QueueWorld {
  readonly finished: (FinishedAttempt & { readonly atMs: number })[] = [];
  readonly worker: FetchWorker;
  /** When the queue was first empty with nothing under way. */
  drainedMs: number | undefined;
  /** Most fetches that were under way at one holder. */
  readonly most = new Map<string, number>();
  requests = 0;
  /** Busy holders as they were told, with what is left of their cooldowns. */
  readonly cooling: string[] = [];
  readonly #outstanding = new Map<string, number>();

  constructor({ rules }: Variant, holders: Readonly<Record<string, Holder>>, options: WorkerOptions = {}) {
    super(rules);
    const limits = {
      concurrency: options.concurrency ?? 8,
      fetchTimeoutMs: TIMEOUT_MS,
      rotateOnBusy: options.rotateOnBusy ?? false,
    };
    const ports = {
      clock: this.clock,
      stopwatchMs: () => 0,
      wire: { fetch: (attempt: Attempt, back: Callbacks) => this.#ask(holders, attempt, back) },
      store: async (_key: string, bytes: Uint8Array) => {
        const { afterMs, fails } = options.store?.(Number(Buffer.from(bytes).toString().slice(6))) ?? {
          afterMs: 0,
        };
        if (afterMs > 0) await this.clock.sleep(afterMs);
        if (fails) throw new Error('ENOSPC');
      },
      onBusy: (source: string, _waitMs: number, leftMs: number) => this.cooling.push(`${source} ${leftMs}`),
      onFinished: (one: FinishedAttempt) => this.finished.push({ ...one, atMs: this.clock.nowMs() }),
      onFilled: () => {
        if (this.queue.isEmpty) this.drainedMs ??= this.clock.nowMs();
      },
    };
    this.worker = new FetchWorker(rules, limits, ports, this.queue, this.health, this.busy);
  }

  /** Chunks that a round has verified at these sources. */
  want(indices: readonly number[], ...sources: string[]): void {
    for (const index of indices) {
      const key = keyOf(chunk(index));
      this.pending.admit(key, 'somebody');
      this.pending.verified(key);
      this.queue.offer(key, sources);
    }
    this.worker.wake();
  }

  outcomes(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { outcome } of this.finished) counts[outcome] = (counts[outcome] ?? 0) + 1;
    return counts;
  }

  #ask(holders: Readonly<Record<string, Holder>>, attempt: Attempt, back: Callbacks): () => void {
    const { source } = attempt;
    const outstanding = (this.#outstanding.get(source) ?? 0) + 1;
    this.#outstanding.set(source, outstanding);
    this.most.set(source, Math.max(this.most.get(source) ?? 0, outstanding));
    this.requests += 1;
    let open = true;
    const close = (): void => {
      if (open) this.#outstanding.set(source, (this.#outstanding.get(source) ?? 0) - 1);
      open = false;
    };
    const reply = holders[source]?.(attempt, outstanding);
    const timer =
      reply &&
      this.clock.after(reply.afterMs, () => {
        close();
        back.answered(reply.answer);
      });
    return () => {
      timer?.cancel();
      close();
    };
  }
}

type Callbacks = Parameters<ConstructorParameters<typeof FetchWorker>[2]['wire']['fetch']>[1];

const byKey = new Map(Array.from({ length: 256 }, (_, index) => [keyOf(chunk(index)), chunk(index)]));

/** Serves within `afterMs`, and drops without a word what is more than two at a time. */
export function answering(afterMs = 10): Holder {
  return (attempt, outstanding) => {
    const bytes = byKey.get(attempt.key);
    if (!bytes || outstanding > 2) return undefined;
    return { afterMs, answer: { kind: 'chunk', bytes } };
  };
}

export const silent: Holder = () => undefined;

export function busy(waitMs: number, afterMs = 10): Holder {
  return () => ({ afterMs, answer: { kind: 'busy', waitMs } });
}

export const upTo = (count: number, from = 0): number[] =>
  Array.from({ length: count }, (_, index) => from + index);
