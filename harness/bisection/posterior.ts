/** Trials of one version: how many proved something, and in how many of them it showed. */
export interface VersionCounts {
  readonly shown: number;
  readonly counted: number;
}

/**
 * What is known of where a change came in. Versions are in order, and one of them is the first bad one; `-1` in a result
 * stands for none. Before it the defect shows in a share `q` of trials (a false alarm), from it on in a share `p`, both
 * unknown and the same for all versions on their side.
 */
export interface Posterior {
  /** Chance that version i is the first bad one; one more at the end: that none is. They sum to 1. */
  readonly firstBad: readonly number[];
  /** Mean of p, the share of trials of a bad version in which it shows. */
  readonly showRate: number;
}

/** Shares at which a bad version may show it, equally likely beforehand. */
const SHOW_RATES = [0.03, 0.07, 0.12, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.88, 0.94, 0.98, 0.999];
/** Shares of false alarms with their chances beforehand: most symptoms never show on a good version. */
const ALARM_RATES: readonly (readonly [number, number])[] = [
  [0.001, 0.7],
  [0.02, 0.15],
  [0.06, 0.1],
  [0.15, 0.05],
];
/** Beforehand: that what was called good is bad already, and that what was called bad is good. */
const WRONG_END = 0.02;

/** Pairs of shares, each with what a trial of either outcome adds to the logarithm of its likelihood. */
const RATES = SHOW_RATES.flatMap((showRate) =>
  ALARM_RATES.filter(([alarmRate]) => alarmRate < showRate / 2).map(([alarmRate, chance]) => ({
    showRate,
    alarmRate,
    logPrior: Math.log(chance / SHOW_RATES.length),
    bad: { shown: Math.log(showRate), hidden: Math.log(1 - showRate) },
    good: { shown: Math.log(alarmRate), hidden: Math.log(1 - alarmRate) },
  })),
);

/** By place of the first bad one: its chance, and its chance together with "shown", were the version bad or good. */
interface Weighed {
  readonly chances: readonly number[];
  readonly shownBad: readonly number[];
  readonly shownGood: readonly number[];
}

/**
 * The posterior after some trials, by summing over a grid of all that is unknown. The first version was called good and
 * the last bad; both may be wrong. Pure.
 */
export function posteriorOf(counts: readonly VersionCounts[]): Posterior {
  const { chances, shownBad } = weigh(counts);
  return { firstBad: chances, showRate: sum(shownBad) };
}

/**
 * The version whose next trial is expected to say most about which is the first bad one: the largest mutual information
 * between the trial's outcome and that question. Pure.
 */
export function mostTelling(counts: readonly VersionCounts[]): number {
  const { chances, shownBad, shownGood } = weigh(counts);
  let best = { version: 0, bits: -1 };
  for (const version of counts.keys()) {
    const shown = chances.map((_, place) => (version >= place ? shownBad : shownGood)[place] ?? 0);
    const given = chances.map((chance, place) =>
      chance > 0 ? chance * entropy((shown[place] ?? 0) / chance) : 0,
    );
    const bits = entropy(sum(shown)) - sum(given);
    if (bits > best.bits) best = { version, bits };
  }
  return best.version;
}

function weigh(counts: readonly VersionCounts[]): Weighed {
  const versions = counts.length;
  const inner = (1 - 2 * WRONG_END) / (versions - 1);
  const all = counts.reduce(added, NONE);
  let good = NONE;
  const places = Array.from({ length: versions + 1 }, (_, place) => {
    if (place > 0) good = added(good, counts[place - 1] ?? NONE);
    const bad = { shown: all.shown - good.shown, counted: all.counted - good.counted };
    const logPlace = Math.log(place === 0 || place === versions ? WRONG_END : inner);
    return RATES.map(
      (rates) => logPlace + rates.logPrior + likelihood(good, rates.good) + likelihood(bad, rates.bad),
    );
  });
  // From the highest, so that no exponential underflows where it matters.
  const highest = Math.max(...places.flat());
  const weights = places.map((logs) => logs.map((log) => Math.exp(log - highest)));
  const total = sum(weights.map(sum));
  const by = (share: (rates: (typeof RATES)[number]) => number): number[] =>
    weights.map(
      (row) => sum(row.map((weight, at) => weight * share(RATES[at] as (typeof RATES)[number]))) / total,
    );
  return { chances: by(() => 1), shownBad: by((one) => one.showRate), shownGood: by((one) => one.alarmRate) };
}

const NONE: VersionCounts = { shown: 0, counted: 0 };

function added(a: VersionCounts, b: VersionCounts): VersionCounts {
  return { shown: a.shown + b.shown, counted: a.counted + b.counted };
}

/** Its logarithm. */
function likelihood(
  { shown, counted }: VersionCounts,
  logs: { readonly shown: number; readonly hidden: number },
): number {
  return shown * logs.shown + (counted - shown) * logs.hidden;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Of a yes or no, in bits. */
function entropy(chance: number): number {
  if (chance <= 0 || chance >= 1) return 0;
  return -chance * Math.log2(chance) - (1 - chance) * Math.log2(1 - chance);
}
