import { type ZodType, z } from 'zod';
import type { ProblemPath } from './problem.ts';
import { suggestionFor } from './suggest.ts';

export interface DescribedIssue {
  readonly path: ProblemPath;
  readonly message: string;
  /** Whether the key itself is wrong, or its value. */
  readonly part: 'key' | 'value';
}

type Issue = z.core.$ZodIssue;

/** Zod's issues as sentences that say what was found and what was expected, one for each unknown key. */
export function describeIssues(issues: readonly Issue[], schema: ZodType, raw: unknown): DescribedIssue[] {
  return issues.flatMap((issue) => describe(issue, schema, raw));
}

function describe(issue: Issue, schema: ZodType, raw: unknown): DescribedIssue[] {
  const path = issue.path as ProblemPath;
  if (issue.code === 'unrecognized_keys') {
    const known = keysOf(schema, path);
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `unknown key${suggestionFor(key, known)}`,
      part: 'key',
    }));
  }
  const found = valueAt(raw, path);
  // Zod's wording begins like this; that of our schemas says what is expected.
  const own = /^(Invalid |Too (small|big))/.test(issue.message) ? undefined : issue.message;
  if (issue.code === 'invalid_type' || issue.code === 'invalid_union') {
    const expected = own ?? (issue.code === 'invalid_type' ? article(issue.expected) : 'something else');
    const seen = found === undefined ? 'missing' : `${show(found)} found`;
    return [{ path, message: `${seen}; expected ${expected}`, part: 'value' }];
  }
  if (issue.code === 'invalid_value') {
    const expected = issue.values.map(String);
    if (found === undefined) {
      return [
        { path, message: `missing; expected ${own ?? `one of ${expected.join(', ')}`}`, part: 'value' },
      ];
    }
    return [
      {
        path,
        message: `${show(found)} is not known${suggestionFor(String(found), expected)}`,
        part: 'value',
      },
    ];
  }
  if (issue.code === 'invalid_key')
    return [{ path, message: issue.issues.map((i) => i.message).join('; '), part: 'key' }];
  if (issue.code === 'too_small' || issue.code === 'too_big') {
    const bound = issue.code === 'too_small' ? `at least ${issue.minimum}` : `at most ${issue.maximum}`;
    return [{ path, message: `${show(found)} found; expected ${own ?? bound}`, part: 'value' }];
  }
  return [{ path, message: issue.message, part: 'value' }];
}

function article(type: string): string {
  const names: Readonly<Record<string, string>> = {
    int: 'a whole number',
    number: 'a number',
    string: 'a text',
    boolean: 'true or false',
    array: 'a list',
    object: 'a map of keys and values',
    record: 'a map of keys and values',
  };
  return names[type] ?? type;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function valueAt(raw: unknown, path: ProblemPath): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      value !== null && typeof value === 'object'
        ? (value as Record<string | number, unknown>)[step]
        : undefined,
    raw,
  );
}

/** Keys that the schema has at `path`. */
function keysOf(schema: ZodType, path: ProblemPath): string[] {
  let current: unknown = schema;
  for (const step of path) {
    current = unwrap(current);
    if (current instanceof z.ZodObject) current = current.shape[step];
    else if (current instanceof z.ZodArray) current = current.element;
    else if (current instanceof z.ZodRecord) current = current.valueType;
    else return [];
  }
  current = unwrap(current);
  return current instanceof z.ZodObject ? Object.keys(current.shape) : [];
}

function unwrap(schema: unknown): unknown {
  let current = schema;
  while (
    current instanceof z.ZodOptional ||
    current instanceof z.ZodDefault ||
    current instanceof z.ZodNullable ||
    current instanceof z.ZodReadonly
  ) {
    current = current.unwrap();
  }
  return current;
}
