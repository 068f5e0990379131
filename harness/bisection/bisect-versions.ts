import { SquallError } from '../errors/index.ts';
import { mostTelling, type Posterior, posteriorOf, type VersionCounts } from './posterior.ts';

/** Runs so many trials of one version; void ones are in neither count. */
export type TryVersion = (version: number, trials: number) => Promise<VersionCounts>;

export interface BisectOptions {
  /** In order, the good end first. */
  readonly versions: readonly string[];
  readonly tryVersion: TryVersion;
  /** Chance of being right at which it ends, 0..1. */
  readonly confidence: number;
  readonly mostTrials: number;
  /** Trials of one version in a row: starting a bed for one alone is dear. */
  readonly stepTrials: number;
  readonly onProgress: (text: string) => void;
}

export interface Bisected {
  readonly outcome:
    | 'found'
    /** The first version shows it already, or the last does not, with the confidence asked for. */
    | 'good-end-shows'
    | 'bad-end-does-not-show'
    /** The trials ran out first. */
    | 'unclear';
  /** The likeliest first bad version; absent where none is bad. */
  readonly firstBad?: string;
  /** The last good one before it. */
  readonly lastGood?: string;
  /** Chance that the outcome is right, given the model. */
  readonly confidence: number;
  readonly showRate: number;
  readonly trials: number;
  readonly versions: readonly (VersionCounts & { readonly version: string; readonly chance: number })[];
}

/** Of each end, before anything between them is asked about. */
const END_TRIALS = 3;
/** This many fruitless rounds (all void) end it. */
const FRUITLESS = 3;

/**
 * Finds the first bad of some versions in order, where a bad one shows the defect only in a share of its trials. Both
 * ends are tried first; then always the version whose trials are expected to say most, until one place has the
 * confidence asked for. The answer comes with its chance of being right (`posterior.ts` has the model).
 * @throws SquallError `too-few-versions` (input), `no-trial-counts` (void)
 */
export async function bisectVersions(options: BisectOptions): Promise<Bisected> {
  const { versions, tryVersion, confidence, mostTrials, stepTrials, onProgress } = options;
  if (versions.length < 2) {
    throw new SquallError(`bisect: ${versions.length} version; expected at least a good one and a bad one.`, {
      code: 'too-few-versions',
      blame: 'input',
    });
  }
  const counts = versions.map(() => ({ shown: 0, counted: 0 }));
  const take = async (version: number, trials: number): Promise<boolean> => {
    const { shown, counted } = await tryVersion(version, trials);
    const known = counts[version] ?? { shown: 0, counted: 0 };
    counts[version] = { shown: known.shown + shown, counted: known.counted + counted };
    return counted > 0;
  };
  let fruitless = 0;
  let next: number[] = [versions.length - 1, 0];
  for (;;) {
    for (const version of next) {
      fruitless = (await take(version, next.length > 1 ? END_TRIALS : stepTrials)) ? 0 : fruitless + 1;
    }
    const posterior = posteriorOf(counts);
    const result = resultOf(versions, counts, posterior);
    onProgress(progressText(versions, counts, posterior));
    if (result.confidence >= confidence) return result;
    if (fruitless >= FRUITLESS) {
      throw new SquallError(`bisect: ${FRUITLESS} rounds in a row gave no trial that counts.`, {
        code: 'no-trial-counts',
        blame: 'void',
        hint: 'The trials say why, under reports/.',
      });
    }
    if (result.trials + stepTrials > mostTrials) return { ...result, outcome: 'unclear' };
    next = [mostTelling(counts)];
  }
}

function resultOf(
  versions: readonly string[],
  counts: readonly VersionCounts[],
  { firstBad, showRate }: Posterior,
): Bisected {
  const best = firstBad.indexOf(Math.max(...firstBad));
  const known = versions[best];
  const lastGood = versions[best - 1];
  return {
    outcome: best === 0 ? 'good-end-shows' : best === versions.length ? 'bad-end-does-not-show' : 'found',
    ...(known !== undefined && { firstBad: known }),
    ...(lastGood !== undefined && { lastGood }),
    confidence: firstBad[best] ?? 0,
    showRate,
    trials: counts.reduce((sum, { counted }) => sum + counted, 0),
    versions: versions.map((version, index) => ({
      version,
      shown: counts[index]?.shown ?? 0,
      counted: counts[index]?.counted ?? 0,
      chance: firstBad[index] ?? 0,
    })),
  };
}

function progressText(
  versions: readonly string[],
  counts: readonly VersionCounts[],
  { firstBad }: Posterior,
): string {
  const best = firstBad.indexOf(Math.max(...firstBad));
  const trials = counts.reduce((sum, { counted }) => sum + counted, 0);
  const chance = Math.round((firstBad[best] ?? 0) * 100);
  return `${trials} trials: the first bad one is ${versions[best] ?? 'none'} with a chance of ${chance} %`;
}
