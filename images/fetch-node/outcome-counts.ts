import type { FetchOutcome } from './fetch-answer.ts';
import type { FinishedAttempt } from './fetch-worker.ts';

/** What became of fetches, for summary and state. */
export class OutcomeCounts {
  readonly outcomes: Record<FetchOutcome, number> = { ok: 0, timeout: 0, busy: 0, failed: 0, cancelled: 0 };
  /** Timeouts of requests to a holder that was counted silent when they were sent, and of the others. */
  readonly timeouts = { pastSilence: 0, withinShare: 0 };
  fetchedBytes = 0;
  storedBytes = 0;

  add({ attempt, outcome, bytes }: FinishedAttempt): void {
    this.outcomes[outcome] += 1;
    this.fetchedBytes += bytes;
    if (outcome === 'ok') this.storedBytes += bytes;
    if (outcome === 'timeout') this.timeouts[attempt.pastSilence ? 'pastSilence' : 'withinShare'] += 1;
  }
}
