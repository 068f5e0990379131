import { Document } from 'yaml';
import { trialsToShow } from '../stats/index.ts';
import { describeCase } from './describe-case.ts';
import type { Frequency } from './reproduce.ts';
import { scenarioOf } from './scenario-of.ts';
import type { Incident, IncidentCase } from './types.ts';

/** Chance with which one run of the scenario shows a defect that is still there. */
const POWER = 0.99;
const MOST_TRIALS = 20;

/**
 * A case as a scenario file that stands as a regression test: with a fix known, it must fail before it and pass after it;
 * without one, it fails until there is one. It plans as many trials as show the defect with a chance of 99 % at the lower
 * bound of how often it was measured to (at most 20); a failing check ends it early.
 */
export function regressionScenario(
  incident: Incident,
  one: IncidentCase,
  how: { readonly frequency?: Frequency; readonly command: string },
): string {
  const { frequency } = how;
  const name = incident.name;
  const before = Object.fromEntries(Object.entries(incident.fix).map(([key, fix]) => [key, fix.before]));
  const spec = scenarioOf(incident, one, { name });
  const shows = frequency !== undefined && frequency.shown > 0;
  const trials = shows ? Math.min(MOST_TRIALS, trialsToShow(frequency.low, POWER)) : 1;
  const document = new Document({
    ...spec,
    trials,
    ...(shows && {
      gate: {
        point: before,
        defect: 'the incident',
        power: { shown: frequency.shown, trials: frequency.counted },
      },
    }),
  });
  document.commentBefore = [
    ` ${describeCase(one)}`,
    ` Written by \`${how.command}\``,
    ...(frequency ? [` Shown in ${frequency.shown} of ${frequency.counted} trials.`] : []),
  ].join('\n');
  return document.toString({ lineWidth: 110, flowCollectionPadding: false });
}
