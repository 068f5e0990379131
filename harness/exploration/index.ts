/**
 * exploration: random schedules of faults from a seed, against what must hold whatever happens.
 *
 *   readExploration(file) ─▶ explore({port}) ─▶ findings: measured, shrunk, told apart by what they break
 *
 * Schedules are drawn from streams of the project's own and shrunk by delta debugging (`incident`): a property-testing
 * library takes one answer for each case, and here the answer is "in K of N trials". Not here: running trials (`session`).
 */
export { drawSchedule } from './draw-schedule.ts';
export { explorationSchema } from './exploration-schema.ts';
export {
  type Explored,
  type ExploreOptions,
  explore,
  type Finding,
  keyOf,
  type Unconfirmed,
} from './explore.ts';
export { asIncident, type Exploration, parseExploration, readExploration } from './read-exploration.ts';
