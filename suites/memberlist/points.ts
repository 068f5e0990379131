/** The suite's axes, in one place. Durations are texts here, as people write them. */
export const OUTAGES = ['24s', '32s', '40s', '50s', '65s', '90s', '130s'];
/** The six lengths of the document's sum over 54 outages. */
export const SUM_OUTAGES = ['24s', '32s', '40s', '50s', '65s', '90s'];
export const ALL_OUTAGES = ['8s', '12s', '16s', '20s', ...OUTAGES];
export const CUTOFFS = [1, 8, 32];

export const VARIANTS = [
  'shipped',
  'grace',
  'health-at-creation',
  'health-at-creation-penalty-first',
  'health-at-firing',
  'both',
  'no-lifeguard',
];

/** Each wrong on purpose; image.json of the node says how. */
export const MUTANTS = [
  'health-at-firing-timer-only',
  'health-at-firing-confirm-only',
  'both-without-grace',
  'both-without-health',
  'both-health-at-creation',
];

/** Those that are `both` with a fix switched off or put wrong. */
export const MUTANTS_OF_BOTH = MUTANTS.filter((mutant) => mutant.startsWith('both-'));

interface OutagePoint {
  readonly variant: string;
  readonly cutoff: number;
  readonly outage: string;
  readonly [parameter: string]: string | number;
}

const at = (variant: string, pairs: readonly (readonly [number, string])[]): OutagePoint[] =>
  pairs.map(([cutoff, outage]) => ({ variant, cutoff, outage }));

/** The five points that tell each other variant apart from its neighbours. */
export const TELLING_POINTS: readonly OutagePoint[] = [
  ...at('grace', [
    [8, '50s'],
    [32, '40s'],
    [32, '50s'],
    [1, '65s'],
    [32, '65s'],
  ]),
  ...at('health-at-creation', [
    [1, '65s'],
    [8, '40s'],
    [32, '40s'],
    [8, '65s'],
    [32, '65s'],
  ]),
  ...at('health-at-creation-penalty-first', [
    [1, '65s'],
    [8, '40s'],
    [32, '40s'],
    [8, '65s'],
    [32, '65s'],
  ]),
  ...at('health-at-firing', [
    [32, '40s'],
    [32, '50s'],
    [32, '65s'],
    [32, '90s'],
    [32, '130s'],
  ]),
  ...at('no-lifeguard', [
    [1, '8s'],
    [1, '12s'],
    [1, '16s'],
    [1, '24s'],
    [8, '16s'],
  ]),
];
