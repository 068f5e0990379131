/**
 * stats: what samples say, with how much they leave open. Pure functions; chance comes from seeded streams only.
 *
 *   rates          clopperPearson, excludedRate, powerToShow, trialsToShow        exact binomial
 *   distributions  estimate (mean, median, quantile with interval), bootstrap     exact, Student t or BCa, whichever fits
 *   two samples    rankTest, stratifiedRankTest, medianShift, differenceOfMeans, ratioOfMeans, holm
 *   waiting times  kaplanMeier, survivalQuantile                                  censored values allowed
 *   stopping early levelPerLook
 *
 * Levels are two-sided and 0.95 by default. Distribution quantiles come from stdlib. Not here: verdicts (check, compare).
 */

export { clopperPearson, excludedRate, powerToShow, trialsToShow } from './binomial.ts';
export { bootstrap } from './bootstrap.ts';
export { type Difference, differenceOfMeans, differenceOfMedians, type Stratum } from './difference.ts';
export { type Estimate, estimate, quantileInterval, type Statistic } from './estimate.ts';
export { holm } from './holm.ts';
export type { ConfidenceInterval } from './interval.ts';
export { mean, median, quantile, variance } from './quantile.ts';
export { medianShift, type RankTest, rankTest, stratifiedRankTest } from './rank-test.ts';
export { type Ratio, ratioOfMeans } from './ratio.ts';
export { levelPerLook } from './sequential.ts';
export { kaplanMeier, type Observation, type SurvivalStep, survivalQuantile } from './survival.ts';
