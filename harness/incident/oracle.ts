import { trialsToShow } from '../stats/index.ts';

/** "Shown in `need` of `of` trials" is what counts as showing the incident. */
export interface Oracle {
  readonly need: number;
  readonly of: number;
}

/** Chance with which a timeline that shows it as often as the one found is to be recognised as one. */
const POWER = 0.9;
const MOST_TRIALS = 12;

/**
 * The oracle for an incident that showed in so many trials. What shows in three quarters of them or more is asked for
 * twice in three, so that one stray failure does not pass for it; what shows more rarely is asked for once, in as many
 * trials as show it with a chance of 90 %, at most 12.
 */
export function oracleFor({ shown, counted }: { readonly shown: number; readonly counted: number }): Oracle {
  const rate = counted === 0 ? 0 : shown / counted;
  if (rate >= 0.75) return { need: 2, of: 3 };
  return { need: 1, of: Math.min(MOST_TRIALS, trialsToShow(rate, POWER)) };
}

/** Whether further trials can no longer change the oracle's answer. */
export function isClear({ need, of }: Oracle, shown: number, counted: number): boolean {
  return shown >= need || counted - shown > of - need;
}
