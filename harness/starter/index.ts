/**
 * starter: a beginning for somebody's own image.
 *
 *   askAnswers(flags) ─▶ readAnswers ─▶ starterFiles ─▶ package, topology, suite, gate, workflow as texts
 *
 * Defaults: 3 nodes, ready once started, `drop` on a quarter of them for 10 s, 30 s to recover in. Nothing is written here, and
 * whether the texts are right is for the rooms that read them (`topology`, `scenario`, `gate`).
 */
export {
  type RawAnswers,
  readAnswers,
  STARTER_FAULTS,
  type StarterAnswers,
  WORKFLOWS,
} from './answers.ts';
export { askAnswers, QUESTIONS } from './questions.ts';
export { type StarterFile, type StarterPlace, starterFiles } from './starter-files.ts';
