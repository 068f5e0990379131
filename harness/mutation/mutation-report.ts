import { EXIT, type ExitCode, strongestExit } from '../errors/index.ts';
import { classifyMutant, type MutantFate, type MutantResult, type MutantTrials } from './classify-mutant.ts';

export interface MutationReport {
  readonly mutants: readonly MutantResult[];
  readonly counts: Readonly<Record<MutantFate, number>>;
  /** 0: all killed or too rare, and at least one killed. 1: one survived. 2: one says nothing, or none was killed. */
  readonly exitCode: ExitCode;
  readonly sentence: string;
}

/** Classifies all mutants of a mutation run; those that matter most come first. Pure. */
export function judgeMutants(trials: readonly MutantTrials[]): MutationReport {
  const order: readonly MutantFate[] = ['survived', 'error', 'too-rare', 'killed'];
  const mutants = trials
    .map(classifyMutant)
    .sort((a, b) => order.indexOf(a.fate) - order.indexOf(b.fate) || (a.mutant < b.mutant ? -1 : 1));
  const of = (fate: MutantFate): number => mutants.filter((one) => one.fate === fate).length;
  const counts = {
    killed: of('killed'),
    survived: of('survived'),
    'too-rare': of('too-rare'),
    error: of('error'),
  };
  const exitCode = strongestExit([
    counts.survived > 0 ? EXIT.fail : EXIT.pass,
    counts.error > 0 || counts.killed === 0 ? EXIT.inconclusive : EXIT.pass,
  ]);
  return { mutants, counts, exitCode, sentence: sentenceOf(counts, mutants.length) };
}

function sentenceOf(counts: MutationReport['counts'], total: number): string {
  if (total === 0) return 'No mutant was tried, so nothing is known of the suite.';
  const parts = [
    `${counts.killed} of ${total} mutants killed`,
    ...(counts.survived > 0 ? [`${counts.survived} survived: a hole in the suite`] : []),
    ...(counts['too-rare'] > 0 ? [`${counts['too-rare']} too rare for these trials`] : []),
    ...(counts.error > 0 ? [`${counts.error} without an answer`] : []),
  ];
  return `${parts.join('; ')}.`;
}

/** Rows for a table: mutant, fix, scenario, fate, trials, power, what it says. */
export const MUTATION_HEADER = ['mutant', 'fix', 'scenario', 'fate', 'trials', 'power', 'says'] as const;

export function mutationRows({ mutants }: MutationReport): string[][] {
  return mutants.map((one) => [
    one.mutant,
    one.fix,
    `${one.suite}/${one.scenario}`,
    one.fate === 'too-rare' ? 'too rare' : one.fate,
    String(one.trials),
    `${Number((one.power * 100).toPrecision(3))} %`,
    one.sentence,
  ]);
}
