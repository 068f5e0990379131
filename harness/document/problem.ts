import { SquallError } from '../errors/index.ts';

export type ProblemPath = readonly (string | number)[];

/** 1-based, as editors count. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** One thing that is wrong with a document. `place` is absent for what did not come from its text. */
export interface Problem {
  readonly path: ProblemPath;
  readonly place?: Place;
  /** What is wrong and what was expected, without the path. */
  readonly message: string;
}

/** `nodes[0].settings.suspicionMult` */
export function formatPath(path: ProblemPath): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}

/** `topologies/a.yaml:3:5 nodes[0].cuont: unknown key; did you mean "count"?` */
export function formatProblem(problem: Problem, file: string): string {
  const place = problem.place ? `:${problem.place.line}:${problem.place.column}` : '';
  const path = formatPath(problem.path);
  return `${file}${place} ${path === '' ? '' : `${path}: `}${problem.message}`;
}

/** Order of the text; what has no place comes last. */
export function compareProblems(a: Problem, b: Problem): number {
  const lineA = a.place?.line ?? Number.POSITIVE_INFINITY;
  const lineB = b.place?.line ?? Number.POSITIVE_INFINITY;
  if (lineA !== lineB) return lineA < lineB ? -1 : 1;
  return (a.place?.column ?? 0) - (b.place?.column ?? 0);
}

/**
 * @param subject what the document is: `topology`, `scenario`, `image description`
 * @throws SquallError `invalid-document` (input) that lists all problems in the order of the text
 */
export function requireNoProblems(subject: string, file: string, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const sorted = [...problems].sort(compareProblems);
  const count = sorted.length === 1 ? '1 problem' : `${sorted.length} problems`;
  throw new SquallError(
    `${subject} ${file}: ${count}; nothing was started\n${sorted.map((problem) => `  ${formatProblem(problem, file)}`).join('\n')}`,
    {
      code: 'invalid-document',
      blame: 'input',
      facts: {
        file,
        problems: sorted.map((problem) => ({
          path: formatPath(problem.path),
          ...problem.place,
          message: problem.message,
        })),
      },
    },
  );
}
