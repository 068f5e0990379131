import { formatPath, type Place, type Problem, type ProblemPath } from '../document/index.ts';

/** Collects problems and places them as they come; at one path only the first counts, since the next mostly follow from it. */
export class ProblemList {
  readonly problems: Problem[];
  readonly #locate: (path: ProblemPath, part?: 'key' | 'value') => Place | undefined;

  constructor(
    already: readonly Problem[],
    locate: (path: ProblemPath, part?: 'key' | 'value') => Place | undefined,
  ) {
    this.problems = [...already];
    this.#locate = locate;
  }

  /** Whether something at `path` or inside it is wrong already, so that what looks missing there may not be. */
  within(path: ProblemPath): boolean {
    return this.problems.some((problem) => path.every((step, depth) => problem.path[depth] === step));
  }

  /** Of a text that is empty: because it was written so, unless it or what it belongs to was refused and left out already. */
  addEmpty(path: ProblemPath, expected: string): void {
    const refused = this.problems.some(
      (problem) =>
        problem.path.length > 0 &&
        problem.path.length <= path.length &&
        problem.path.every((step, depth) => path[depth] === step),
    );
    if (!refused) this.add(path, `is empty; expected ${expected}`);
  }

  add(path: ProblemPath, message: string, part: 'key' | 'value' = 'value'): void {
    const key = formatPath(path);
    if (this.problems.some((problem) => formatPath(problem.path) === key)) return;
    const place = path[0] === 'overrides' ? undefined : this.#locate(path, part);
    this.problems.push(place ? { path, place, message } : { path, message });
  }
}
