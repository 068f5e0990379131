import { formatNumber } from '../check/index.ts';
import type { ComparisonResult } from '../record/index.ts';
import { clopperPearson } from '../stats/index.ts';

/** A rehearsal has no measure on which its sides are only to agree. */
type Outcome = Exclude<ComparisonResult['outcome'], 'agrees' | 'differs'>;

/** How often each comparison came out how, over several rehearsals of the same sides. */
export interface RepeatCounts {
  readonly baseline: string;
  readonly candidate: string;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly lost: number;
}

export function countRepeats(rehearsals: readonly (readonly ComparisonResult[])[]): RepeatCounts[] {
  const counts = new Map<string, { -readonly [K in keyof RepeatCounts]: RepeatCounts[K] }>();
  for (const one of rehearsals.flat()) {
    if (one.outcome === 'agrees' || one.outcome === 'differs') continue;
    const known = counts.get(one.candidate) ?? {
      baseline: one.baseline,
      candidate: one.candidate,
      outcomes: { better: 0, 'no worse': 0, worse: 0, unclear: 0 },
      lost: 0,
    };
    known.outcomes = { ...known.outcomes, [one.outcome]: known.outcomes[one.outcome] + 1 };
    known.lost += Number(one.losses.length > 0);
    counts.set(one.candidate, known);
  }
  return [...counts.values()];
}

/**
 * A line a candidate. Of a baseline against itself, `worse` is a false alarm: its rate is told with its exact interval, so
 * that none in twenty is not taken for never.
 */
export function describeRepeats(counts: readonly RepeatCounts[]): string {
  return counts
    .map(({ baseline, candidate, outcomes, lost }) => {
      const { better, worse, unclear } = outcomes;
      const times = better + outcomes['no worse'] + worse + unclear;
      const { high, low } = clopperPearson(worse, times);
      const rate = `${formatNumber((worse / times) * 100)} % (${formatNumber(low * 100)} to ${formatNumber(high * 100)} %)`;
      const losses = lost > 0 ? `, ${lost} with a loss` : '';
      return `${candidate} against ${baseline}, ${times} times: ${outcomes['no worse']} no worse, ${better} better, ${unclear} unclear, ${worse} worse${losses}; called worse in ${rate}\n`;
    })
    .join('');
}
