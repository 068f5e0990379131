/**
 * mutation: are the scenarios able to notice that a fix is gone?
 *
 *   judgeMutants([{mutant, fix, rule, scenario, control, mutated}]) ─▶ killed | timed out | survived | not covered | too rare |
 *                                                                      error; score, exit code
 *
 * Pure, over point results of two runs of the designated scenario: with the fix on it must pass, with the mutant it must
 * fail. Not here: running them (cli `mutate`), what mutants there are (each image's image.json).
 */

export {
  classifyMutant,
  type Designation,
  ENOUGH_POWER,
  hasEnoughPower,
  type MutantFate,
  type MutantResult,
  type MutantTrials,
  notCovered,
} from './classify-mutant.ts';
export {
  fateText,
  judgeMutants,
  MUTATION_HEADER,
  type MutationOptions,
  type MutationReport,
  mutationRows,
} from './mutation-report.ts';
