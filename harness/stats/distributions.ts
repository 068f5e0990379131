import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/**
 * A function of stdlib, which is loaded when it is first called: its two hundred modules take longer than all the rest of a
 * command that has nothing to estimate.
 */
function ofStdlib(name: string): (...numbers: readonly number[]) => number {
  let found: ((...numbers: readonly number[]) => number) | undefined;
  return (...numbers) => {
    found ??= load(`@stdlib/stats-base-dists-${name}`) as (...numbers: readonly number[]) => number;
    return found(...numbers);
  };
}

/** P(X ≤ x). */
export const normalCdf: (x: number, mean: number, deviation: number) => number = ofStdlib('normal-cdf');

/** @param share 0..1 */
export const normalQuantile: (share: number, mean: number, deviation: number) => number =
  ofStdlib('normal-quantile');

/** @param share 0..1 */
export const tQuantile: (share: number, degreesOfFreedom: number) => number = ofStdlib('t-quantile');

/** @param share 0..1 */
export const betaQuantile: (share: number, alpha: number, beta: number) => number = ofStdlib('beta-quantile');
