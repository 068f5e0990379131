import type { PlanRecord, Point, RunRecord, TrialRecord } from './types.ts';

/** What the acting side tells while it runs. A console, a log or nothing listens; the record itself is written elsewhere. */
export interface RunObserver {
  /** Once, before the first trial; `alreadyDone` trials were found by `--resume`. */
  planned?(plan: PlanRecord, alreadyDone: number): void;
  trialStarted?(trial: TrialLabel): void;
  /** A step began or ended, a fault was applied or lifted, a bed started: one line for people. */
  stepped?(trial: TrialLabel | undefined, text: string): void;
  trialFinished?(trial: TrialRecord, options: { readonly willRepeat: boolean }): void;
  /** No more trials at this point: the answer is clear. */
  pointStopped?(pointId: string, why: string): void;
  /** Something a reader should know that belongs to no trial. */
  noted?(text: string): void;
  /** After judging. `runDir` holds the reports. */
  judged?(run: RunRecord, runDir: string): void;
  /** Always the last call, also after an abort. */
  closed?(): void | Promise<void>;
}

export interface TrialLabel {
  readonly scenario: string;
  readonly point: Point;
  readonly pointId: string;
  readonly trial: number;
  readonly bedId: string;
}
