import { clopperPearson, excludedRate, trialsToShow } from '../stats/index.ts';
import type { VersionCounts } from './posterior.ts';

/** Runs so many trials of the bad variant with some of the fixes put in; it may end once it has shown. */
export type TryFixes = (fixes: readonly string[], trials: number) => Promise<VersionCounts>;

export interface FixTried extends VersionCounts {
  readonly fixes: readonly string[];
  readonly cures: boolean;
  /** Where it did not show: the share of trials that is excluded, one-sided 95 %. */
  readonly excludes?: number;
}

export interface MissingFix {
  readonly outcome: 'found' | 'bad-does-not-show' | 'good-shows' | 'unclear';
  /** Smallest sets that cure it: single fixes, or one set from which none can be left out. */
  readonly missing: readonly (readonly string[])[];
  /** How often the bad variant shows it. */
  readonly bad: VersionCounts;
  readonly tried: readonly FixTried[];
}

/** Chance with which a set that cures nothing is seen to cure nothing. */
const POWER = 0.99;
const MOST_TRIALS = 40;

/**
 * Names what a bad variant lacks of a good one: each fix alone is put into it, and where none cures it, the set of all is
 * made smaller while it still does. A set cures where it does not show in as many trials as show the defect with a
 * chance of 99 % at the lower bound of its rate.
 * @param fixes settings in which the good variant differs from the bad one
 * @param badTrials trials that measure how often the bad one shows it
 */
export async function findMissingFix(
  fixes: readonly string[],
  tryFixes: TryFixes,
  how: { readonly badTrials: number; readonly onProgress: (text: string) => void },
): Promise<MissingFix> {
  const bad = await tryFixes([], how.badTrials);
  how.onProgress(`the bad one shows it in ${bad.shown} of ${bad.counted} trials`);
  if (bad.shown === 0) {
    return { outcome: bad.counted === 0 ? 'unclear' : 'bad-does-not-show', missing: [], bad, tried: [] };
  }
  const { low } = clopperPearson(bad.shown, bad.counted);
  const trials = Math.min(MOST_TRIALS, trialsToShow(low, POWER));
  const tried: FixTried[] = [];
  let unclear = false;
  const cures = async (some: readonly string[]): Promise<boolean> => {
    const key = some.join();
    const known = tried.find((one) => one.fixes.join() === key);
    if (known) return known.cures;
    const counts = await tryFixes(some, trials);
    const cured = counts.shown === 0 && counts.counted >= trials;
    if (counts.shown === 0 && !cured) unclear = true;
    tried.push({
      fixes: some,
      ...counts,
      cures: cured,
      ...(counts.shown === 0 && counts.counted > 0 && { excludes: excludedRate(0, counts.counted) }),
    });
    how.onProgress(`with ${some.join(' and ')}: shown in ${counts.shown} of ${counts.counted} trials`);
    return cured;
  };
  if (!(await cures(fixes))) {
    return { outcome: unclear ? 'unclear' : 'good-shows', missing: [], bad, tried };
  }
  const alone: string[][] = [];
  for (const fix of fixes) if (await cures([fix])) alone.push([fix]);
  const missing = alone.length > 0 ? alone : [await smallestCure(fixes, cures)];
  return { outcome: unclear ? 'unclear' : 'found', missing, bad, tried };
}

/** Leaves out one fix after another while the rest still cures it. */
async function smallestCure(
  fixes: readonly string[],
  cures: (some: readonly string[]) => Promise<boolean>,
): Promise<readonly string[]> {
  let kept = fixes;
  for (const fix of fixes) {
    const without = kept.filter((one) => one !== fix);
    if (without.length > 0 && (await cures(without))) kept = without;
  }
  return kept;
}
