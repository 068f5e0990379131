import { type LeapingClock, manualClock } from '../../../harness/clock/index.ts';
import { BusyBook } from '../busy-book.ts';
import type { ChunkKey } from '../chunk-key.ts';
import type { Attempt } from '../fetch-entry.ts';
import { FetchQueue } from '../fetch-queue.ts';
import type { FetchRules } from '../fetch-rules.ts';
import { PendingVerification } from '../pending-verification.ts';
import type { QueueLimits } from '../queue-ports.ts';
import { SourceHealth } from '../source-health.ts';

export const TIMEOUT_MS = 5_000;

const LIMITS: QueueLimits = {
  capacity: 131_072,
  perSource: 2,
  closeGroupSize: 7,
  paidListGroupSize: 20,
  hintsPerKey: 8,
};

interface WorldOptions {
  readonly limits?: Partial<QueueLimits>;
  readonly pendingCapacity?: number;
  readonly healthCapacity?: number;
  readonly fetchTimeoutMs?: number;
}

/** Keys with a rank for a node whose own place is 0: key(1) is nearer than key(2). */
export function key(rank: number): ChunkKey {
  return rank.toString(16).padStart(12, '0').padEnd(64, '0');
}

/** The queue with its health table, busy book and verification table, on a clock that stands still. */
export class QueueWorld {
  readonly clock: LeapingClock = manualClock();
  readonly lost: ChunkKey[] = [];
  readonly pending: PendingVerification;
  readonly health: SourceHealth;
  readonly busy: BusyBook;
  readonly queue: FetchQueue;

  constructor(rules: FetchRules, options: WorldOptions = {}) {
    const nowMs = (): number => this.clock.nowMs();
    this.pending = new PendingVerification(
      {
        capacity: options.pendingCapacity ?? 131_072,
        hintsPerKey: 8,
        retryMs: 60_000,
        maximumAgeMs: 1_800_000,
      },
      nowMs,
      (lost) => this.lost.push(lost),
    );
    this.health = new SourceHealth(
      rules,
      { capacity: options.healthCapacity ?? 8_192, fetchTimeoutMs: options.fetchTimeoutMs ?? TIMEOUT_MS },
      {
        nowMs,
        inFlight: (source) => this.queue.inFlight(source),
        onSilent: (source) => this.queue.wakeSilent(source),
      },
    );
    this.busy = new BusyBook(rules, { capacity: 8_192, maximumMs: 60_000 }, nowMs);
    const ports = { ownId: '0'.repeat(64), nowMs, stopwatchMs: () => 0, returns: this.pending };
    this.queue = new FetchQueue(rules, { ...LIMITS, ...options.limits }, ports, this.health, this.busy);
  }

  /** A key that a round has verified, with the sources of that round. */
  offer(rank: number, ...sources: string[]): 'queued' | 'merged' | 'full' {
    if (!this.queue.has(key(rank))) {
      this.pending.admit(key(rank), 'somebody');
      this.pending.verified(key(rank));
    }
    return this.queue.offer(key(rank), sources);
  }

  /** Starts all that can start, at most `count`. */
  start(count = Number.POSITIVE_INFINITY): Attempt[] {
    const attempts: Attempt[] = [];
    while (attempts.length < count) {
      const attempt = this.queue.next();
      if (!attempt) break;
      attempts.push(attempt);
    }
    return attempts;
  }

  /** The next one to start. @throws when none can */
  require(): Attempt {
    const attempt = this.queue.next();
    if (!attempt) throw new Error('no key can start; expected one');
    return attempt;
  }

  /** The attempt's source has not answered: marked, then the key moves on. */
  timeOut(attempt: Attempt): Attempt | undefined {
    this.health.unanswered(attempt.source, attempt.place);
    return this.queue.finish(attempt, 'failed');
  }

  /** The source answers now, whatever it says. */
  answer(source: string): number {
    const place = this.health.nextPlace();
    this.health.answered(source, place);
    return place;
  }

  /** Makes a source silent with a key of its own, farther than all others. */
  silence(source: string, rank = 0xffffffff): void {
    this.offer(rank, source);
    const attempt = this.start().find((own) => own.source === source && own.key === key(rank));
    if (!attempt) throw new Error(`${source}: could not be asked for key ${rank}`);
    this.timeOut(attempt);
    this.queue.cancel(key(rank));
  }
}

/** `rank@source` of attempts, for comparing. */
export function told(attempts: readonly (Attempt | undefined)[]): readonly string[] {
  return attempts.map((attempt) =>
    attempt ? `${Number.parseInt(attempt.key.slice(0, 12), 16)}@${attempt.source}` : 'none',
  );
}

export function same(one: readonly unknown[], other: readonly unknown[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
