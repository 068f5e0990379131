import { EXIT, type ExitCode, strongestExit } from '../errors/index.ts';
import { classifyMutant, type MutantFate, type MutantResult, type MutantTrials } from './classify-mutant.ts';

export interface MutationReport {
  /** By the scenario that is designated for each; those that matter most come first. */
  readonly mutants: readonly MutantResult[];
  /** What other scenarios make of the mutants, where they were run too; they decide nothing. */
  readonly others?: readonly MutantResult[];
  readonly counts: Readonly<Record<MutantFate, number>>;
  /** Detected of all that were clear, 0..1: killed and timed out over these, survivors and those not covered. */
  readonly score: number | null;
  /** Score that is enough; without one every survivor fails. */
  readonly threshold?: number;
  /** 0: enough were detected, and at least one was. 1: a hole in the suite. 2: one says nothing, or none was detected. */
  readonly exitCode: ExitCode;
  readonly sentence: string;
}

export interface MutationOptions {
  /** Mutants that nobody claims. */
  readonly uncovered?: readonly MutantResult[];
  readonly others?: readonly MutantTrials[];
  readonly threshold?: number;
}

const ORDER: readonly MutantFate[] = ['survived', 'not-covered', 'error', 'too-rare', 'timed-out', 'killed'];

/** Classifies all mutants of a mutation run. Pure. */
export function judgeMutants(trials: readonly MutantTrials[], options: MutationOptions = {}): MutationReport {
  const { uncovered = [], others = [], threshold } = options;
  const mutants = [...trials.map(classifyMutant), ...uncovered].sort(byWeight);
  const counts = Object.fromEntries(
    ORDER.map((fate) => [fate, mutants.filter((one) => one.fate === fate).length]),
  ) as Record<MutantFate, number>;
  const detected = counts.killed + counts['timed-out'];
  const holes = counts.survived + counts['not-covered'];
  const score = detected + holes === 0 ? null : detected / (detected + holes);
  const fails = threshold === undefined ? holes > 0 : score !== null && score < threshold;
  const exitCode = strongestExit([
    fails ? EXIT.fail : EXIT.pass,
    counts.error > 0 || detected === 0 ? EXIT.inconclusive : EXIT.pass,
  ]);
  return {
    mutants,
    ...(others.length > 0 && { others: others.map(classifyMutant).sort(byWeight) }),
    counts,
    score,
    ...(threshold !== undefined && { threshold }),
    exitCode,
    sentence: sentenceOf(counts, mutants.length, score, threshold),
  };
}

function byWeight(a: MutantResult, b: MutantResult): number {
  return ORDER.indexOf(a.fate) - ORDER.indexOf(b.fate) || (a.mutant < b.mutant ? -1 : 1);
}

function sentenceOf(
  counts: MutationReport['counts'],
  total: number,
  score: number | null,
  threshold: number | undefined,
): string {
  if (total === 0) return 'No mutant was tried, so nothing is known of the suite.';
  const parts = [
    `${counts.killed} of ${total} mutants killed`,
    ...(counts['timed-out'] > 0 ? [`${counts['timed-out']} timed out`] : []),
    ...(counts.survived > 0 ? [`${counts.survived} survived: a hole in the suite`] : []),
    ...(counts['not-covered'] > 0 ? [`${counts['not-covered']} not covered by any scenario`] : []),
    ...(counts['too-rare'] > 0 ? [`${counts['too-rare']} too rare for these trials`] : []),
    ...(counts.error > 0 ? [`${counts.error} without an answer`] : []),
  ];
  const enough = threshold === undefined ? '' : ` of ${percent(threshold)} wanted`;
  return `${parts.join('; ')}.${score === null ? '' : ` Score ${percent(score)}${enough}.`}`;
}

/** Rounded down: a score just under what is wanted is not shown as reaching it. */
function percent(share: number): string {
  return `${Math.floor(share * 1_000) / 10} %`;
}

/** How a fate is called for people. */
export function fateText(fate: MutantFate): string {
  return fate.replace('-', ' ');
}

/** Rows for a table: mutant, fix, scenario, fate, trials, power, what it says. */
export const MUTATION_HEADER = ['mutant', 'fix', 'scenario', 'fate', 'trials', 'power', 'says'] as const;

export function mutationRows({ mutants, others = [] }: MutationReport): string[][] {
  return [...mutants, ...others].map((one) => [
    one.mutant,
    one.fix,
    one.fate === 'not-covered' ? '–' : `${one.suite}/${one.scenario}`,
    fateText(one.fate),
    String(one.trials),
    `${Number((one.power * 100).toPrecision(3))} %`,
    one.sentence,
  ]);
}
