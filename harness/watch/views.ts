import type { RecordedEvent, TrialOutcome, Verdict } from '../record/index.ts';

/** What is shown of a run at one moment. Times are ns of CLOCK_MONOTONIC (`…Ns`) or durations in ms (`…Ms`), real ones. */
export interface RunView {
  readonly runId: string;
  readonly suites: readonly string[];
  readonly command: readonly string[];
  readonly startedAt: string;
  /** `silent`: nobody says that it ended, and whoever ran it is gone or cannot be seen. */
  readonly life: 'running' | 'ended' | 'silent';
  readonly elapsedMs: number;
  readonly leftMs?: number;
  readonly trials: {
    readonly planned: number;
    readonly counted: number;
    readonly voids: number;
    readonly broken: number;
    readonly running: number;
  };
  /** Of the judge, at the end. */
  readonly verdict?: Verdict;
  readonly checks?: ChecksView;
  readonly points: readonly PointView[];
  /** Newest last. */
  readonly news: readonly { readonly atNs: number; readonly text: string }[];
  readonly active: readonly string[];
  /** Newest last. */
  readonly finished: readonly FinishedTrial[];
}

/** Checks as they stand with the trials so far. */
export interface ChecksView {
  readonly pass: number;
  readonly fail: number;
  readonly open: number;
  readonly failing: readonly {
    readonly title: string;
    readonly pointId: string;
    readonly sentence: string;
  }[];
  /** Why they could not be judged. */
  readonly problem?: string;
}

export interface PointView {
  readonly scenario: string;
  readonly pointId: string;
  readonly planned: number;
  readonly counted: number;
  readonly voids: number;
  readonly stopped?: string;
  readonly verdict?: Verdict;
  /** Of the trial that ended last. */
  readonly measures: Readonly<Record<string, number | null>>;
}

export interface FinishedTrial {
  /** `<pointId>#<n>`; names a trial in all of watch. */
  readonly key: string;
  readonly pointId: string;
  readonly trial: number;
  readonly outcome: TrialOutcome;
  readonly tookMs: number;
}

export interface NodeView {
  readonly name: string;
  readonly role: string;
  readonly image?: string;
  readonly address?: string;
  /** `unheard`: nothing has come from it yet. */
  readonly state: 'unheard' | 'up' | 'ended';
  readonly changes: readonly { readonly atNs: number; readonly state: 'up' | 'ended' }[];
}

export interface FaultView {
  readonly id: string;
  readonly kind: string;
  readonly targets: readonly string[];
  /** The other ends; everybody when empty. */
  readonly peers: readonly string[];
  readonly appliedNs?: number;
  readonly forMs?: number;
  readonly liftedNs?: number;
  readonly bit?: boolean;
  readonly gone?: boolean;
  readonly problems: readonly string[];
}

export interface LinkView {
  readonly name: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
}

export interface TrialView {
  readonly key: string;
  readonly scenario: string;
  readonly pointId: string;
  readonly trial: number;
  readonly bedId: string;
  readonly topology: string;
  readonly startNs: number;
  /** Of the trial, or of now. */
  readonly lastNs: number;
  readonly estimatedMs?: number;
  readonly outcome?: TrialOutcome;
  readonly reasons: readonly string[];
  readonly nodes: readonly NodeView[];
  readonly links: readonly LinkView[];
  readonly phases: readonly { readonly name: string; readonly startNs: number; readonly endNs?: number }[];
  readonly step?: { readonly text: string; readonly sinceNs: number };
  readonly faults: readonly FaultView[];
  /** Counts of the nodes' events by name, most frequent first. */
  readonly counts: readonly { readonly event: string; readonly count: number }[];
  /** Events of nodes in each whole second since `startNs`. */
  readonly perSecond: readonly number[];
  readonly measures: Readonly<Record<string, number | null>>;
}

export type ShownEvent = Pick<RecordedEvent, 'node' | 'event' | 'atNs' | 'fields'>;
