import type { FetchRules } from './fetch-rules.ts';

/** What a source is to the scheduler: within its share, past it because of a mark, or because the table has no room for it. */
export type Standing = 'answering' | 'marked' | 'overflow';

export interface HealthLimits {
  /** Sources that the table holds. */
  readonly capacity: number;
  readonly fetchTimeoutMs: number;
}

export interface HealthPorts {
  nowMs(): number;
  /** Fetches that wait for this source now; an entry that guards one is not dropped. */
  inFlight(source: string): number;
  /** Sources that became silent: one, or all that are not in the table. */
  onSilent(source: string | 'untracked'): void;
}

interface Entry {
  /** Place of its latest answer in the sequence; 0: none yet. */
  answerPlace: number;
  /** Place of the latest request that is known to have gone unanswered; 0: none. */
  unansweredPlace: number;
  /** When that was noticed, while the mark stands. */
  markedAtMs: number | undefined;
}

/** The least lifetime of a mark. */
const MARK_FLOOR_MS = 1_000;

/**
 * Who answers and who does not, by one sequence over everything that is sent and that arrives: a source is silent while a
 * request sent after its latest answer has gone unanswered. A mark ends with an answer later in the sequence than that
 * request, or when nothing newer went unanswered for max(two fetch timeouts, 1 s).
 */
export class SourceHealth {
  readonly counts = { marks: 0, refreshed: 0, cleared: 0, expired: 0, outdated: 0, evicted: 0, overflows: 0 };
  readonly #rules: FetchRules;
  readonly #limits: HealthLimits;
  readonly #ports: HealthPorts;
  readonly #entries = new Map<string, Entry>();
  #place = 0;
  #overflowedAtMs: number | undefined;

  constructor(rules: FetchRules, limits: HealthLimits, ports: HealthPorts) {
    this.#rules = rules;
    this.#limits = limits;
    this.#ports = ports;
  }

  get markLifetimeMs(): number {
    const twice = 2 * this.#limits.fetchTimeoutMs;
    return this.#rules.markLifetimeFloor ? Math.max(twice, MARK_FLOOR_MS) : twice;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The next place in the sequence, for a request that is sent or an answer that arrived. */
  nextPlace(): number {
    this.#place += 1;
    return this.#place;
  }

  /** A request is about to be sent: the source needs an entry, so that its end can be ordered against its answers. */
  track(source: string): void {
    if (this.#entries.has(source)) return;
    if (this.#entries.size >= this.#limits.capacity) this.#makeRoom();
    if (this.#entries.size >= this.#limits.capacity) {
      this.#overflow();
      return;
    }
    this.#entries.set(source, { answerPlace: 0, unansweredPlace: 0, markedAtMs: undefined });
  }

  /** An answer took its place when it arrived; it may be told late, and twice. */
  answered(source: string, place: number): void {
    const entry = this.#entries.get(source);
    if (!entry) return;
    entry.answerPlace = Math.max(entry.answerPlace, place);
    if (entry.markedAtMs === undefined || !this.#rules.answerClears) return;
    if (this.#rules.answerClearsOlderOnly && place < entry.unansweredPlace) return;
    entry.markedAtMs = undefined;
    this.counts.cleared += 1;
  }

  /** A request that was sent at `place` has ended without an answer. */
  unanswered(source: string, place: number): void {
    const entry = this.#entries.get(source);
    if (!entry) return;
    this.#expire(entry);
    if (this.#rules.laterAnswerSpares && place < entry.answerPlace) {
      this.counts.outdated += 1;
      return;
    }
    if (place < entry.unansweredPlace && this.#rules.olderFailureIgnored) return;
    const marked = entry.markedAtMs !== undefined;
    if (marked && place > entry.unansweredPlace && !this.#rules.newerFailureRefreshes) return;
    entry.unansweredPlace = Math.max(entry.unansweredPlace, place);
    entry.markedAtMs = this.#ports.nowMs();
    if (marked) this.counts.refreshed += 1;
    else {
      this.counts.marks += 1;
      this.#ports.onSilent(source);
    }
  }

  standing(source: string): Standing {
    if (!this.#rules.silenceHandling) return 'answering';
    const entry = this.#entries.get(source);
    if (entry) {
      this.#expire(entry);
      return entry.markedAtMs === undefined ? 'answering' : 'marked';
    }
    return this.#rules.overflowCountsSilent && this.#isOverflowing() ? 'overflow' : 'answering';
  }

  /** Sources with a mark that stands. */
  silent(): readonly string[] {
    return [...this.#entries.keys()].filter((source) => this.standing(source) === 'marked');
  }

  forget(source: string): void {
    this.#entries.delete(source);
  }

  #expire(entry: Entry): void {
    if (entry.markedAtMs === undefined || !this.#rules.marksExpire) return;
    if (this.#ports.nowMs() - entry.markedAtMs < this.markLifetimeMs) return;
    entry.markedAtMs = undefined;
    this.counts.expired += 1;
  }

  /** Drops every entry that holds no mark and guards no fetch: without either it knows nothing that matters. */
  #makeRoom(): void {
    for (const [source, entry] of this.#entries) {
      this.#expire(entry);
      const idle = entry.markedAtMs === undefined && this.#ports.inFlight(source) === 0;
      if (!idle && this.#rules.evictIdleOnly) continue;
      this.#entries.delete(source);
      this.counts.evicted += 1;
    }
  }

  #overflow(): void {
    const began = !this.#isOverflowing();
    this.#overflowedAtMs = this.#ports.nowMs();
    if (!began) return;
    this.counts.overflows += 1;
    if (this.#rules.overflowCountsSilent) this.#ports.onSilent('untracked');
  }

  #isOverflowing(): boolean {
    if (this.#overflowedAtMs === undefined) return false;
    return !this.#rules.overflowExpires || this.#ports.nowMs() - this.#overflowedAtMs < this.markLifetimeMs;
  }
}
