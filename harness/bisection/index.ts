/**
 * bisection: which version, or which missing fix, explains a defect that shows in a share of its trials only.
 *
 *   bisectVersions(ordered versions, tryVersion) ─▶ the first bad one, and how sure that is
 *   findMissingFix(fixes, tryFixes)              ─▶ the smallest set of fixes that cures it
 *
 * Trials come through a function of the caller's. Not here: what a version is, and running it (`session`).
 */
export { type Bisected, type BisectOptions, bisectVersions, type TryVersion } from './bisect-versions.ts';
export { describeBisection, describeMissingFix } from './describe-bisection.ts';
export { type FixTried, findMissingFix, type MissingFix, type TryFixes } from './find-missing-fix.ts';
export { mostTelling, type Posterior, posteriorOf, type VersionCounts } from './posterior.ts';
