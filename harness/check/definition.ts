import type { z } from 'zod';
import type {
  CheckResult,
  CheckSpec,
  MeasureSpec,
  MeasureValue,
  Point,
  PublishedValue,
  RecordedEvent,
  TrialRecord,
  Verdict,
} from '../record/index.ts';

/** What a check is given: one grid point's trials that count, and nothing that changes from one call to the next. */
export interface CheckContext<P> {
  readonly parameters: P;
  readonly spec: CheckSpec;
  readonly point: Point;
  /** Completed trials that prove something, in order. Never empty. */
  readonly trials: readonly TrialRecord[];
  /** What `observe` said for each of the trials, when the check has it. */
  readonly observations: readonly (MeasureValue | undefined)[];
  readonly measures: readonly MeasureSpec[];
  /** Those of the scenario that stand beside this point. */
  readonly published: readonly PublishedValue[];
  /** Two-sided level of intervals: 0.95, or stricter when trials stopped early. */
  readonly level: number;
}

/** What a check says: `rawVerdict` of the result, and everything that a reader needs to believe it. */
export interface Judgement
  extends Pick<CheckResult, 'sentence' | 'findings' | 'estimate' | 'interval' | 'bound' | 'excludesRate'> {
  readonly verdict: Verdict;
}

/** A pure judgement over a point's trials: no clock, no chance, no engine. */
export interface CheckDefinition<P> {
  /** Parameters as the suite writes them; unknown ones should be refused (`z.strictObject`). */
  readonly parameters: z.ZodType<P>;
  // Methods, not properties: so that checks with different parameters fit into one registry.
  /** Whether `observe` needs this trial's events read; absent: never. */
  needsEvents?(parameters: P, trial: TrialRecord): boolean;
  /** One trial's share of the answer, taken from its events in order of `atNs` (empty unless needed). */
  observe?(trial: TrialRecord, events: readonly RecordedEvent[], parameters: P): MeasureValue | undefined;
  judge(context: CheckContext<P>): Judgement;
}
