/**
 * suite: finds and loads suites, and offers `describeScenario` to them.
 *
 *   loadSuite('suites/memberlist') → scenarios as data; nothing is started
 *   describeScenario(spec)         → data under `squall run`, tests under plain mocha
 *
 * A suite is a folder with `suite.ts` and/or `*.scenario.yaml`. Running it from end to end is `session`'s work.
 */
export { describeScenario } from './describe-scenario.ts';
export { type FoundSuite, findSuite, knownSuites, requireSuite } from './find-suite.ts';
export { type LoadedSuite, loadSuite, useSuite } from './load-suite.ts';
export { publishedValues } from './published-values.ts';
