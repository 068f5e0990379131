/**
 * scenario: scenarios as data, their planning and running, and the trial records they leave.
 *
 *   parseScenario / requireScenario → planRun → runPlan → trials/<point>/<n>/trial.json
 *
 * The runner is handed everything that touches a host (beds, host guard, clock, judge's `decide`) through narrow ports,
 * so that it runs against fakes. Not here: finding suites (`suite`), judging (`check`), rendering (`report`).
 */
export { registerAction, requireAction, type TrialAction } from './action.ts';
export { askNode } from './ask-node.ts';
export { bedShape } from './bed-shape.ts';
export { DIAGNOSIS_FILE } from './diagnose-trial.ts';
export {
  type CostModel,
  estimateQuietMs,
  estimateRun,
  type PlanEstimate,
  REFERENCE_COSTS,
} from './estimate.ts';
export { faultRequest, faultStepsAt } from './fault-request.ts';
export { fillOverrides } from './fill-overrides.ts';
export { isGatePoint } from './gate-point.ts';
export { expandGrid, type ParameterLists, requireGrid } from './grid.ts';
export { areLight, isLight } from './light-beds.ts';
export { defaultPoint, formatParameter, readParameter } from './parameter.ts';
export { parseScenario } from './parse-scenario.ts';
export {
  type PlannedPoint,
  type PlannedTrial,
  type PlanOptions,
  planRun,
  type RunPlan,
  type ScenarioSelection,
} from './plan-run.ts';
export { isSide, pairedId, pointId } from './point-id.ts';
export type { BedFactory, HostGuard, HostGuardFactory, TrialBed, TrialClock, TrialJudge } from './ports.ts';
export { RESERVED_OPTIONS } from './reserved-options.ts';
export { type ResolvedScenario, requireScenario, resolveScenario } from './resolve-scenario.ts';
export { type RunOutcome, type RunPlanOptions, runPlan } from './run-plan.ts';
export { placeIn, placeOfFault, placeTextIn } from './scenario-place.ts';
export { SCENARIO, SCENARIO_PARTS, scenarioSchema } from './scenario-schema.ts';
export { CRASH_EVENT, MISSED_EVENT } from './standing-checks.ts';
export { systemClock } from './system-clock.ts';
export { fillTemplate, placeholdersIn } from './template.ts';
export { type CaptureRequest, DEFAULT_CAPTURE } from './trial-capture.ts';
export type * from './types.ts';
