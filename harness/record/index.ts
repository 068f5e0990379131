/**
 * record: the run record's shapes, writing and reading; the only room that acting and judging share.
 *
 *   createRun ─▶ RunWriter ─▶ openTrial ─▶ TrialWriter { event, log(node).line, finish }      acting writes
 *   readRun ─▶ plan, verdict, TrialRef[] ─▶ readTrial, readEvents                             judging reads
 *
 * What both must agree on lives here too: measures over a finished trial, conditions over events, and the
 * observer through which a run tells how it goes. Limits: 512 MiB of events a trial, 8 MiB of log a node, 16 MiB of
 * memory a file; packet captures (`CaptureFiles`) as asked for. Not here: verdicts (check), renderings (report), where
 * events come from (testnet).
 */

export { CaptureFiles } from './capture-files.ts';
export {
  createConditionMatcher,
  type EventCondition,
  type EventConditionMatcher,
  type EventPredicate,
  matchesEvent,
  registerPredicate,
} from './event-condition.ts';
export { findRunDir, listRuns } from './find-run.ts';
export { formatParameter } from './format-parameter.ts';
export { LineFile } from './line-file.ts';
export { matchesPoint, type PointFilter } from './matches-point.ts';
export {
  eventsUntilEnd,
  measureTrial,
  registeredMeasures,
  registerMeasure,
  type TrialMeasure,
} from './measure.ts';
export { NodeLog, type NodeLogLimits } from './node-log.ts';
export { processWide } from './process-wide.ts';
export type { RunObserver, TrialLabel } from './progress.ts';
export { type PrunedRun, type PruneOptions, pruneRuns, type Retention } from './prune-runs.ts';
export {
  parseEvent,
  readEvents,
  readRun,
  readSortedEvents,
  readTrial,
  type StoredRun,
  type TrialRef,
} from './read-run.ts';
export {
  blankValues,
  namesSecret,
  REDACTED,
  redactCommand,
  redactSettings,
  redactText,
  secretValuesOf,
} from './redact.ts';
export { requiredField } from './required-field.ts';
export { createRun, RunWriter } from './run-writer.ts';
export { hostClass as hostClassSchema, recordSchema, SCHEMAS } from './schema.ts';
export { type GoodOrBad, stableSinceMs } from './stable-since.ts';
export { openTrial, type TrialLimits, TrialWriter, trialDirOf } from './trial-writer.ts';
export * from './types.ts';
export { swapLatest, writeAtomically } from './write-atomically.ts';
