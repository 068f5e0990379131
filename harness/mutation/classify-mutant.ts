import type { CheckResult, PointResult } from '../record/index.ts';
import { powerToShow } from '../stats/index.ts';

/** A mutant as its image describes it, and a scenario that is to kill it. */
export interface Designation {
  readonly mutant: string;
  readonly image: string;
  /** Which fix it undoes or weakens, and by which rule. */
  readonly fix: string;
  readonly rule: string;
  readonly suite: string;
  readonly scenario: string;
  /** Share of trials in which the mutant's fault was seen to show where it was measured; 0.5 when nobody measured it. */
  readonly showRate?: number;
}

/** What a scenario said, with the fix on and with the mutant in its place. */
export interface MutantTrials extends Designation {
  readonly control: PointResult | undefined;
  readonly mutated: PointResult | undefined;
}

export type MutantFate =
  /** The scenario passed with the fix and failed with the mutant. */
  | 'killed'
  /** It passed with the fix, and with the mutant did not come to its end within its time budget. */
  | 'timed-out'
  /** It passed with both, in trials enough: a hole in the suite. */
  | 'survived'
  /** No scenario is designated for it. */
  | 'not-covered'
  /** It passed with both, in too few trials to expect otherwise: listed, not failing. */
  | 'too-rare'
  /** It says nothing: the control did not pass, or one of the two did not run or was inconclusive. */
  | 'error';

export interface MutantResult extends Designation {
  readonly fate: MutantFate;
  /** Chance that its trials would have shown the fault, at `showRate`. */
  readonly power: number;
  readonly trials: number;
  /** Checks that killed it. */
  readonly killedBy: readonly string[];
  readonly sentence: string;
}

/** Power from which a mutant that did not show counts as survived. */
export const ENOUGH_POWER = 0.95;
const ASSUMED_SHOW_RATE = 0.5;

/** Whether so many trials would have shown the fault of a mutant, were it to be seen: more of them would only cost time. */
export function hasEnoughPower(trials: number, showRate = ASSUMED_SHOW_RATE): boolean {
  return powerToShow(showRate, trials) >= ENOUGH_POWER;
}

/**
 * The fate of one mutant. Pure. Killed needs both halves: a scenario that fails with the fix on kills nothing. Only checks of the
 * system kill; a guard that does not hold is a fault of the bed.
 */
export function classifyMutant(trials: MutantTrials): MutantResult {
  const { control, mutated, ...designation } = trials;
  const rate = designation.showRate ?? ASSUMED_SHOW_RATE;
  const counted = mutated?.trials.counted ?? mutated?.trials.completed ?? 0;
  const power = powerToShow(rate, counted);
  const result = (fate: MutantFate, sentence: string, killedBy: readonly string[] = []): MutantResult => ({
    ...designation,
    fate,
    power,
    trials: counted,
    killedBy,
    sentence,
  });
  const name = `${designation.mutant} (${designation.rule})`;
  if (!control || !mutated)
    return result('error', `${name} was not run${control ? '' : ' with its fix on'}.`);
  const trouble = controlTrouble(control);
  if (trouble)
    return result('error', `${name}: the scenario says nothing, because with the fix on ${trouble}.`);
  if ((mutated.trials.hung ?? 0) > 0) {
    return result(
      'timed-out',
      `${name} did not come to its end within the time budget, which its fix keeps.`,
    );
  }
  const killers = systemChecks(mutated).filter((check) => check.rawVerdict === 'fail');
  if (killers.length > 0) {
    const titles = killers.map((check) => check.title);
    return result(
      'killed',
      `${name} was killed by “${titles.join('”, “')}”: ${killers[0]?.sentence}`,
      titles,
    );
  }
  // Too few trials show their own way: what is asked of a survivor is that each of its checks was answered.
  const open = systemChecks(mutated).filter((check) => check.rawVerdict === 'inconclusive');
  const doubted = mutated.checks.some((check) => check.kind === 'guard' && check.rawVerdict !== 'pass');
  if (counted === 0 || open.length > 0 || doubted) {
    const why =
      counted === 0
        ? 'no trial counts'
        : doubted
          ? 'a guard does not hold'
          : `“${open[0]?.title}” is inconclusive`;
    return result('error', `${name} was neither killed nor seen to survive: ${why}.`);
  }
  const chance = `${percent(power)} chance to show a fault that shows in ${percent(rate)} of trials`;
  return power >= ENOUGH_POWER
    ? result(
        'survived',
        `${name} survived ${counted} trials, which had a ${chance}: nothing in this scenario notices it.`,
      )
    : result('too-rare', `${name} did not show in ${counted} trials, which had only a ${chance}.`);
}

/** A mutant that no scenario is designated to kill. */
export function notCovered(mutant: Pick<Designation, 'mutant' | 'image' | 'fix' | 'rule'>): MutantResult {
  return {
    ...mutant,
    suite: '–',
    scenario: '–',
    fate: 'not-covered',
    power: 0,
    trials: 0,
    killedBy: [],
    sentence: `${mutant.mutant} (${mutant.rule}) is not covered: no scenario claims to kill it.`,
  };
}

function systemChecks(point: PointResult): CheckResult[] {
  return point.checks.filter((check) => check.kind !== 'guard' && check.check !== 'published');
}

function controlTrouble(control: PointResult): string | undefined {
  const checks = systemChecks(control);
  if (checks.length === 0) return 'it judges nothing';
  const failed = checks.find((check) => check.rawVerdict === 'fail');
  if (failed) return `“${failed.title}” fails too`;
  return control.checks.some((check) => check.rawVerdict !== 'pass') ? 'it is inconclusive' : undefined;
}

function percent(share: number): string {
  return `${Number((share * 100).toPrecision(share > 0.99 ? 4 : 2))} %`;
}
