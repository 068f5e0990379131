/**
 * incident: what happened in the field, as a file, and how it is made to happen again.
 *
 *   readIncident(file) ─▶ drawCases(seed) ─▶ scenarioOf(case) ─▶ a scenario like any other
 *   reproduce({incident, port}) ─▶ searched, measured, shrunk by delta debugging ─▶ the smallest case
 *
 * An incident says what was seen (symptoms as checks), where, when (times with a zone and an error), and what is not known
 * (ranges and choices). Idle time is shortened to 30 s a pause unless it says otherwise; faults keep their length.
 * Not here: running scenarios (`session`), judging whole runs (`check`).
 */
export { type Compressed, compressPauses } from './compress-pauses.ts';
export { describeCase } from './describe-case.ts';
export { describeReproduction } from './describe-reproduction.ts';
export { caseOf, type DrawnCase, drawCases, pausesText } from './draw-cases.ts';
export { incidentSchema } from './incident-schema.ts';
export {
  failedSymptoms,
  type IncidentChecks,
  judgeSymptoms,
  type Showing,
  symptomsNeedEvents,
} from './judge-symptoms.ts';
export { isClear, type Oracle, oracleFor } from './oracle.ts';
export { parseIncident, readIncident } from './read-incident.ts';
export { regressionScenario } from './regression-scenario.ts';
export { type Frequency, type ReproduceOptions, type Reproduction, reproduce } from './reproduce.ts';
export { checkOf, scenarioOf } from './scenario-of.ts';
export { type ShrinkOptions, type Shrunk, shrinkCase } from './shrink-case.ts';
export { TRIALS_BROKEN, type TrialPort, type Tried, type Trying } from './trial-port.ts';
export type * from './types.ts';
