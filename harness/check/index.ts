/**
 * check: judging. A check is a registered name with parameters; it takes a point's trials and says pass, fail or
 * inconclusive. Everything here is pure but `judgeRun`, which reads a run's folder and writes its run.json.
 *
 *   judgeRun ─▶ judgePlan ─▶ judgeScenarioPoint ─▶ judgePoint ─▶ CheckDefinition.judge
 *   createDecider(point) ─▶ decide(trials so far) ─▶ continue | stop             handed to the runner
 *   gateSentence(defect, {shown, trials})                                       what a gate's point can see
 *
 * Built in: measure-bound, event-count, no-event, recovery-time, baseline-bound, published; and the guards faults-bit, bed-clean,
 * host-quiet, logs-complete. Intervals are two-sided at 95 %, excluded rates one-sided. Never a pass on nothing.
 * Not here: comparing two sides (compare), mutants (mutation), statistics (stats), renderings (report).
 */

export { aggregate } from './aggregate.ts';
export {
  boundText,
  formatNumber,
  formatQuantity,
  type Operator,
  placeInterval,
  pValueText,
  satisfies,
} from './bound.ts';
export { countOf } from './count-of.ts';
export { createDecider, type Decide, type DeciderOptions, type Decision } from './decide.ts';
export type { CheckContext, CheckDefinition, Judgement } from './definition.ts';
export { counts, doubts, faultDoubts, hostDoubts } from './doubts.ts';
export { GATE_RATE, type GatePower, gatePower, gateSentence, type ShownCounts } from './gate-power.ts';
export {
  type Compared,
  type ComparedTrial,
  type JudgeOptions,
  judgePlan,
  type TodaysScenario,
  type TrialSource,
} from './judge-plan.ts';
export { type BrokenCheck, judgePoint, needsEvents, observeTrial, type PointContext } from './judge-point.ts';
export { judgeRun, judgeStored } from './judge-run.ts';
export { isShort, judgeScenarioPoint } from './judge-scenario.ts';
export type { LoadedTrials } from './load-trials.ts';
export { placeOf, publishedAt } from './published-at.ts';
export { checkProblems, registerCheck, registeredChecks } from './registry.ts';
export { repeatCommand } from './repeat-command.ts';
export { flat, titleOf, unitOf, valuesOf } from './trial-values.ts';
export { combineVerdicts } from './verdicts.ts';
