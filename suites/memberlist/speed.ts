/** Whether four times the speed tells the same as real speed. Judged where a run has both: `--warp 1,4`. */
import type { ComparisonSpec } from '../../harness/index.ts';

const SIDES = { parameter: 'warp', baseline: 1, candidate: 4 } as const;
/** The means may agree by chance where the distributions do not. */
const RANK_BELOW = 0.01;

/**
 * Where the leak starts, as shipped. At shorter outages than these there is nothing to tell apart, and would only thin the
 * difference out: a condition weighs the same whether or not anything happens there.
 */
export const onsetAtBothSpeeds = (
  reference: Readonly<Record<string, string | number>>,
): readonly ComparisonSpec[] => [
  {
    ...SIDES,
    title: 'Verdicts at cut-off nodes where the leak starts, warp 4 against 1',
    where: { ...reference, variant: 'shipped', cutoff: 32, outage: ['24s', '32s', '40s'] },
    primary: {
      measure: 'cutVerdicts',
      better: 'same',
      margin: 6,
      rankBelow: RANK_BELOW,
      reason: 'A third of what 32 nodes come to at real speed over these three lengths, 17 a trial.',
    },
    secondary: [{ measure: 'falseDeaths', better: 'same', margin: 50 }],
  },
  {
    ...SIDES,
    title: 'Share of outages that leak where the leak starts, warp 4 against 1',
    where: { ...reference, variant: 'shipped', cutoff: [8, 32], outage: ['24s', '32s', '40s'] },
    primary: {
      measure: 'leaked',
      better: 'same',
      margin: 0.25,
      rankBelow: RANK_BELOW,
      reason: 'An onset that lies one length off for both sizes is a difference of a third.',
    },
  },
];

export const crashAtBothSpeeds: readonly ComparisonSpec[] = [
  {
    ...SIDES,
    title: 'Median first detection of a run, warp 4 against 1',
    where: { size: 128, crashes: 10 },
    primary: {
      measure: 'firstDetectionMedianS',
      better: 'same',
      margin: 1,
      rankBelow: RANK_BELOW,
      reason: 'One interval between probes: nothing finer is asked of a speed that divides all of them.',
    },
    secondary: [{ measure: 'firstDetectionSlowestS', better: 'same', margin: 2 }],
  },
];
