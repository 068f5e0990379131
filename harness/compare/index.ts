/**
 * compare: two sides of one scenario, measured in turns on the same host with the same seeds.
 *
 *   compareScenario(scenario, trials) ─▶ ComparisonResult[] ─▶ run.json          handed to judgeRun
 *
 * Effect, interval, margin, one sentence. Conditions (points that differ in nothing but the side) are strata of equal
 * weight; a trial is one value. Not here: bounds on one side (check), how trials are interleaved (scenario).
 */

export { compareMetric, type MetricContext } from './compare-metric.ts';
export { compareScenario, compareSides } from './compare-sides.ts';
export { releaseSentence } from './release-sentence.ts';
