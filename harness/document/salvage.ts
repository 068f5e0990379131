import type { ZodType, z } from 'zod';
import type { ProblemPath } from './problem.ts';

/** Each round can uncover what the round before had hidden; a document this deep has no more layers than that. */
const MAX_ROUNDS = 8;

/** `raw` with what the schema refuses left out or emptied, as the schema reads it; `undefined` when that does not help. */
export function salvage<T>(raw: unknown, schema: ZodType<T>): T | undefined {
  const copy: unknown = structuredClone(raw);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const checked = schema.safeParse(copy);
    if (checked.success) return checked.data;
    for (const issue of checked.error.issues) {
      if (!mend(copy, issue)) return undefined;
    }
  }
  return undefined;
}

function mend(root: unknown, issue: z.core.$ZodIssue): boolean {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.every((key) => replace(root, [...issue.path, key] as ProblemPath, undefined));
  }
  const path = issue.path as ProblemPath;
  const missing = read(root, path) === undefined || typeof path.at(-1) === 'number';
  if (!missing) return replace(root, path, undefined);
  const filler = issue.code === 'invalid_type' ? FILLERS[issue.expected]?.() : undefined;
  const filling = issue.code === 'invalid_value' ? issue.values[0] : filler;
  return filling !== undefined && replace(root, path, filling);
}

const FILLERS: Readonly<Record<string, () => unknown>> = {
  string: () => '',
  array: () => [],
  object: () => ({}),
  record: () => ({}),
};

/** Sets what stands at `path`, or takes it away when `value` is undefined. */
function replace(root: unknown, path: ProblemPath, value: unknown): boolean {
  const key = path.at(-1);
  const parent = read(root, path.slice(0, -1));
  if (key === undefined || parent === null || typeof parent !== 'object') return false;
  if (value === undefined) Reflect.deleteProperty(parent, key);
  else Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
  return true;
}

function read(root: unknown, path: ProblemPath): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      value !== null && typeof value === 'object' && Object.hasOwn(value, step)
        ? (value as Record<string | number, unknown>)[step]
        : undefined,
    root,
  );
}
