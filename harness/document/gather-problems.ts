import { SquallError } from '../errors/index.ts';
import type { Problem, ProblemPath } from './problem.ts';
import type { ReadDocument } from './read-document.ts';

/** Tells of something that is wrong at a path. */
export type Report = (path: ProblemPath, message: string) => void;

/** A document's problems, and where a room adds to them what its schema cannot see; each has its place in the text. */
export function gatherProblems(read: ReadDocument<unknown>): {
  readonly problems: readonly Problem[];
  readonly report: Report;
} {
  const problems = [...read.problems];
  const report: Report = (path, message) => {
    const place = read.locate(path);
    problems.push(place ? { path, place, message } : { path, message });
  };
  return { problems, report };
}

/** What the work gives; a SquallError that it throws is a problem at the path. */
export function attempt<T>(report: Report, path: ProblemPath, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SquallError)) throw error;
    report(path, `${error.message}${error.hint ? `. ${error.hint}` : ''}`);
    return undefined;
  }
}
