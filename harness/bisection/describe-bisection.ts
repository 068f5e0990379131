import type { Bisected } from './bisect-versions.ts';
import type { MissingFix } from './find-missing-fix.ts';

/** The outcome of a bisection, the verdict first. */
export function describeBisection(result: Bisected): string {
  const { outcome, firstBad, lastGood, confidence, trials, showRate, versions } = result;
  const sure = `${(confidence * 100).toFixed(1)} %`;
  const verdict = {
    found: `FIRST BAD: ${firstBad} (last good: ${lastGood}), ${sure} sure after ${trials} trials`,
    'good-end-shows': `NOT BISECTED: ${versions[0]?.version}, called good, shows it too (${sure} sure)`,
    'bad-end-does-not-show': `NOT BISECTED: ${versions.at(-1)?.version}, called bad, does not show it (${sure} sure)`,
    unclear: `UNCLEAR after ${trials} trials: likeliest ${firstBad ?? 'none'}, ${sure} sure`,
  }[outcome];
  const table = versions.map(
    ({ version, shown, counted, chance }) =>
      `  ${version}: shown in ${shown} of ${counted}, the first bad one with a chance of ${(chance * 100).toFixed(1)} %`,
  );
  return [
    verdict,
    ...table,
    `A bad version shows it in about ${Math.round(showRate * 100)} % of trials. Taken for granted: once bad, later versions are bad too,`,
    'and all of them show it equally often.',
    '',
  ].join('\n');
}

/** Which fix is missing, with what each was tried to do. */
export function describeMissingFix(good: string, bad: string, result: MissingFix): string {
  const sets = result.missing.map((fixes) => fixes.join(' and ')).join(', or ');
  const verdict = {
    found: `MISSING FIX: ${bad} lacks ${sets} of ${good}`,
    'bad-does-not-show': `NOT FOUND: ${bad}, called bad, does not show it`,
    'good-shows': `NOT FOUND: with everything of ${good} it shows all the same`,
    unclear: `UNCLEAR: too few trials count${sets === '' ? '' : `; so far ${sets}`}`,
  }[result.outcome];
  return [
    verdict,
    `  ${bad}: shown in ${result.bad.shown} of ${result.bad.counted}`,
    ...result.tried.map(({ fixes, shown, counted, excludes }) => {
      const most =
        excludes === undefined
          ? ''
          : `, which excludes more than ${Math.round(excludes * 100)} % (one-sided 95 %)`;
      return `  with ${fixes.join(' and ')}: shown in ${shown} of ${counted}${most}`;
    }),
    '',
  ].join('\n');
}
