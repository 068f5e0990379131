/**
 * document: YAML 1.2 or JSON text → a checked value, with every problem placed by path, line and column.
 *
 *   readDocumentFile(subject, file) → text                     one SquallError (input) when it cannot be read
 *   readDocument(text, schema) → {value, problems, locate}
 *   gatherProblems(read) → {problems, report}                  for what the room itself finds wrong
 *   requireNoProblems(subject, file, problems)                 one SquallError (input) that lists them all
 *
 * Bounds: 1 MiB of text, 100 aliases. Not here: what a topology, a scenario or an image means.
 */
export { attempt, gatherProblems, type Report } from './gather-problems.ts';
export {
  compareProblems,
  formatPath,
  formatProblem,
  type Place,
  type Problem,
  type ProblemPath,
  requireNoProblems,
} from './problem.ts';
export { type ReadDocument, readDocument } from './read-document.ts';
export { readDocumentFile } from './read-document-file.ts';
export { suggest, suggestionFor } from './suggest.ts';
