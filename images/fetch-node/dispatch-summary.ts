import type { BusyBook } from './busy-book.ts';
import type { FetchQueue } from './fetch-queue.ts';
import type { FetchResponder } from './fetch-responder.ts';
import type { FetchWorker } from './fetch-worker.ts';
import type { OutcomeCounts } from './outcome-counts.ts';
import type { SourceHealth } from './source-health.ts';

interface SummaryParts {
  readonly queue: FetchQueue;
  readonly worker: FetchWorker;
  readonly health: SourceHealth;
  readonly busy: BusyBook;
  readonly responder: FetchResponder;
  readonly counts: OutcomeCounts;
}

/** Fields of the summary that a node tells every five minutes and at shutdown; counters since it began, gauges as they are. */
export function dispatchSummary({ queue, worker, health, busy, responder, counts }: SummaryParts) {
  const { facts } = queue;
  const { latency, lock } = worker;
  return {
    parked: facts.parked,
    index_size: facts.indexSize,
    oldest_parked_ms: Math.round(facts.oldestParkedMs),
    parked_max: facts.mostParked,
    oldest_parked_max_ms: Math.round(facts.longestParkedMs),
    queued: facts.queued,
    in_flight: facts.inFlight,
    sources_at_limit: facts.sourcesAtLimit,
    in_flight_per_source_max: facts.mostPerSource,
    parks: queue.counts.parks,
    wakes: queue.counts.wakes,
    returned_to_verification: queue.counts.returned,
    started_past_mark: queue.counts.pastMark,
    started_past_untracked: queue.counts.pastOverflow,
    attempts_ok: counts.outcomes.ok,
    attempts_timeout: counts.outcomes.timeout,
    attempts_busy: counts.outcomes.busy,
    attempts_failed: counts.outcomes.failed,
    attempts_cancelled: counts.outcomes.cancelled,
    timeouts_past_silence: counts.timeouts.pastSilence,
    timeouts_within_share: counts.timeouts.withinShare,
    stored_bytes: counts.storedBytes,
    fetched_bytes: counts.fetchedBytes,
    attempt_p50_ms: rounded(latency.facts.p50Ms),
    attempt_p99_ms: rounded(latency.facts.p99Ms),
    attempt_max_ms: rounded(latency.facts.maximumMs),
    fill_passes: lock.fills,
    fill_lock_wait_ms: rounded(lock.waitMs),
    fill_lock_wait_max_ms: rounded(lock.waitMaximumMs),
    fill_lock_hold_ms: rounded(lock.holdMs),
    fill_lock_hold_max_ms: rounded(lock.holdMaximumMs),
    parked_index_maintenance_ms: rounded(facts.indexMs),
    silent_sources: health.silent().length,
    health_sources: health.size,
    silent_marks: health.counts.marks,
    silent_refreshed: health.counts.refreshed,
    silent_cleared: health.counts.cleared,
    silent_expired: health.counts.expired,
    outdated_timeouts: health.counts.outdated,
    source_health_evicted: health.counts.evicted,
    source_health_overflow: health.counts.overflows,
    fetch_busy_sources_tracked: busy.size,
    fetch_busy_reply_send_pool_full: responder.busyReplyPoolFull,
    fetch_admission_dropped_per_peer_share: responder.counts.droppedPerPeer,
    fetch_admission_dropped_global_pool: responder.counts.droppedPool,
  };
}

/** The same as a line of a log. */
export function summaryLine(fields: Readonly<Record<string, number>>): string {
  const words = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  return `replication fetch dispatch summary ${words.join(' ')}`;
}

function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
