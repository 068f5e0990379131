/**
 * Squall as a library: what a suite needs, and nothing else.
 *
 *   describeScenario(spec)      a scenario in a mocha suite, or as data for `squall run`
 *   registerMeasure(name, fn)   a pure function over a finished trial
 *   registerCheck(name, fn)     a pure judgement over a point's trials
 *   publishedValues(file)       figures of a document, from the suite's published.json
 *   registerPredicate(name, fn) a condition that steps may wait for
 *   registerAction(name, fn)    something done in code, for the `do` of documents
 *
 * Loading this starts nothing. The rooms below it are reached as `squall/ROOM`.
 */

export { type CheckDefinition, registerCheck } from './check/index.ts';
export type * from './record/index.ts';
export { registerMeasure, registerPredicate, requiredField } from './record/index.ts';
export type {
  Condition,
  FaultStep,
  GridSpec,
  MeasurePredicate,
  ParameterSpec,
  PhaseSpec,
  ScenarioSpec,
  SeedCondition,
  Step,
  SuiteSpec,
  TrialContext,
} from './scenario/index.ts';
export { askNode, registerAction } from './scenario/index.ts';
export { describeScenario, publishedValues } from './suite/index.ts';
