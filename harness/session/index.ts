/**
 * session: a run from end to end, where the acting and the judging side are joined.
 *
 *   makePlan ─▶ engine, watchdog, canary ─▶ runPlan ─▶ judgeRun ─▶ reports ─▶ exit code
 *
 * Not here: finding and loading suites (`suite`), options of the command line (`cli`).
 */
export { type BaselineBinding, bindBaseline } from './bind-baseline.ts';
export { bindWaivers } from './bind-waivers.ts';
export { type BisectSubject, bisectSubject } from './bisect-subject.ts';
export { checkFaults } from './check-faults.ts';
export { checkPlan } from './check-plan.ts';
export { currentCommit } from './current-commit.ts';
export {
  type BisectRequest,
  type ExecutedBisect,
  executeBisect,
  executeMissingFix,
  type MissingFixRequest,
  type VersionPlace,
  writeBisection,
} from './execute-bisect.ts';
export { executeBundle } from './execute-bundle.ts';
export { type ExecutedExploration, type ExploreRequest, executeExplore } from './execute-explore.ts';
export { type ExecutedGate, executeGate, type GateRequest, planNotes } from './execute-gate.ts';
export { type ExecutedMutation, executeMutation, type MutationRequest } from './execute-mutation.ts';
export {
  type ExecutedRehearsal,
  executeRehearsal,
  REHEARSAL_FILE,
  rehearsalExit,
} from './execute-rehearsal.ts';
export { type ExecutedReplay, executeReplay, type ReplayRequest } from './execute-replay.ts';
export { type ExecutedRepro, executeRepro, type ReproRequest } from './execute-repro.ts';
export { type ExecutedRun, executeRun, type RunRequest, type RunStage } from './execute-run.ts';
export { findExploration } from './find-exploration.ts';
export { gateNotes } from './gate-notes.ts';
export type { SuiteScenarios } from './gate-units.ts';
export { hostClass } from './host-class.ts';
export { type IncidentTrialsOptions, incidentTrials } from './incident-trials.ts';
export { makePlan, newRunId, type PlanRequest } from './make-plan.ts';
export {
  claimProblems,
  type KnownMutant,
  knownMutants,
  type MutantClaim,
  mutantClaims,
  otherClaims,
  unclaimedMutants,
} from './mutants.ts';
export { defaultParallelBeds, type Room } from './parallel-beds.ts';
export { type PlanCosts, planCosts } from './plan-costs.ts';
export { type GatePlan, type GatePlanRequest, planGate } from './plan-gate.ts';
export { type ExplorePlanRequest, planExplore, planRepro, type ReproPlanRequest } from './plan-incident.ts';
export { planRehearsal, type RehearsalRequest } from './plan-rehearsal.ts';
export { type RepeatedRehearsal, repeatRehearsal } from './repeat-rehearsal.ts';
export { squallVersion } from './squall-version.ts';
