/**
 * document: YAML 1.2 or JSON text → a checked value, with every problem placed by path, line and column.
 *
 *   readDocument(text, schema) → {value, problems, locate}     then more problems may be added by the room
 *   requireNoProblems(subject, file, problems)                 one SquallError (input) that lists them all
 *
 * Bounds: 1 MiB of text, 100 aliases. Not here: what a topology, a scenario or an image means.
 */
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
export { suggest, suggestionFor } from './suggest.ts';
