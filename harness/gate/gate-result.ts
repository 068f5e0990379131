import type { ExitCode } from '../errors/index.ts';
import type { Verdict } from '../record/index.ts';
import type { CheckLine } from './check-lines.ts';

/** What a gate says: kept as `gate.json` beside the run's record, and rendered from there. */
export interface GateResult {
  readonly name: string;
  readonly mode: 'quick' | 'full';
  /** `2/5`, when only a part was asked for. */
  readonly shard?: string;
  readonly tags?: readonly string[];
  readonly runId: string;
  /** All runs of a soak, the last one too. */
  readonly soak?: readonly string[];
  readonly commit?: string;
  readonly verdict: Verdict;
  readonly exitCode: ExitCode;
  readonly lines: readonly CheckLine[];
  /** What the budget had no room for, with the time that each would have added. */
  readonly leftOut: readonly { readonly id: string; readonly addsMs: number }[];
  /** Waivers that have run out or are not needed any more, mutants that no scenario claims, and the like. */
  readonly notes?: readonly string[];
  readonly budgetMs?: number;
  readonly plannedMs: number;
  readonly tookMs: number;
  /** The plan was not reached: cancelled, or something broke. */
  readonly partial: boolean;
  readonly repeat: string;
  /** Of the HTML report. */
  readonly report: string;
}
