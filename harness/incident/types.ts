import type { ParameterValue } from '../record/index.ts';
import type { FaultStep, Step } from '../scenario/index.ts';
import type { IncidentDocument, TimelineEntry } from './incident-schema.ts';

/** An incident as it was written down, checked; what is not known of it is still open. */
export interface Incident
  extends Omit<IncidentDocument, 'timeline' | 'import' | 'warmUp' | 'settle' | 'times' | 'idle' | 'watch'> {
  readonly file: string;
  /** Against which its topology, suites and imports are found. */
  readonly folder: string;
  readonly warmUp: readonly Step[];
  /** After what is watched. */
  readonly settle: readonly Step[];
  readonly entries: readonly SourcedEntry[];
  readonly start: string | undefined;
  /** Longest pause that is not shortened; infinite: none is. */
  readonly idleMs: number;
  readonly watchMs: number;
}

/** An entry with what its source says of its times. */
export interface SourcedEntry {
  readonly entry: TimelineEntry;
  /** Where it stands, for people: `timeline[2]`, `events.csv:4`. */
  readonly origin: string;
  readonly zone: string;
  /** Of instants; times like +12m are exact. */
  readonly errorMs: number;
}

export type IncidentAction =
  /** `forMs` absent: until something lifts it. */
  | { readonly verb: 'fault'; readonly fault: FaultStep; readonly forMs?: number }
  /** Nodes that are absent up to then. */
  | { readonly verb: 'join'; readonly on: string }
  | { readonly verb: 'lift'; readonly id: string }
  | { readonly verb: 'admin'; readonly admin: Extract<Step, { admin: unknown }>['admin'] }
  | { readonly verb: 'exec'; readonly exec: Extract<Step, { exec: unknown }>['exec'] }
  | { readonly verb: 'do'; readonly do: Extract<Step, { do: unknown }>['do'] };

/** One thing that happens, at a moment of the timeline. */
export interface Happening {
  /** Unique in its timeline; what an entry became keeps its id while the timeline is shrunk. */
  readonly id: string;
  readonly origin: string;
  readonly atMs: number;
  /** The pause before it matters. */
  readonly keep: boolean;
  readonly action: IncidentAction;
}

/** Values for what is not known. Durations in ms, ratios 0..1, as in the points of scenarios. */
export type IncidentValues = Readonly<Record<string, ParameterValue>>;

/** An incident with nothing left open: one way in which it may have been. */
export interface IncidentCase {
  readonly values: IncidentValues;
  readonly happenings: readonly Happening[];
  readonly watchMs: number;
  /** Role → number of nodes, beside what the incident's own overrides say. */
  readonly counts: Readonly<Record<string, number>>;
}
