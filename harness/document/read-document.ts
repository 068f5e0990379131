import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { ZodType } from 'zod';
import { describeIssues } from './describe-issues.ts';
import { compareProblems, type Place, type Problem, type ProblemPath } from './problem.ts';
import { salvage } from './salvage.ts';

const MAX_TEXT_BYTES = 1024 ** 2;
const MAX_ALIASES = 100;

export interface ReadDocument<T> {
  /** The value as the schema gives it (defaults filled in); absent when it could not be read or does not fit. */
  readonly value: T | undefined;
  /**
   * The value with what does not fit left out (missing texts empty, missing lists empty), so that the room's own checks
   * can go on and report the rest in the same go. Absent when too little is left.
   */
  readonly salvaged: T | undefined;
  readonly problems: readonly Problem[];
  /** Where the value (or with `key`, the key) at a path stands; the nearest parent's place when it is absent. */
  locate(path: ProblemPath, part?: 'key' | 'value'): Place | undefined;
}

/**
 * Reads YAML 1.2 (of which JSON is a part) and checks it against a schema.
 * Syntax errors, duplicate keys, unknown tags, alias bombs, unknown keys and wrong types all become problems; it never throws.
 */
export function readDocument<T>(text: string, schema: ZodType<T>): ReadDocument<T> {
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) {
    const message = `the text has ${Buffer.byteLength(text)} bytes; expected at most ${MAX_TEXT_BYTES}`;
    return {
      value: undefined,
      salvaged: undefined,
      problems: [{ path: [], message }],
      locate: () => undefined,
    };
  }
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.2',
    lineCounter: lines,
    uniqueKeys: true,
    prettyErrors: false,
    logLevel: 'error',
  });
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const locate = (path: ProblemPath, part: 'key' | 'value' = 'value') => {
    const offset = offsetOf(document, path, part);
    return offset === undefined ? undefined : placeAt(offset);
  };
  const problems: Problem[] = [...document.errors, ...document.warnings].map((error) => ({
    path: pathAt(document, error.pos[0]),
    place: placeAt(error.pos[0]),
    message: syntaxMessage(error.code, error.message),
  }));
  // A text that is no YAML has no meaning to check further; a key given twice has.
  if (document.errors.some((error) => error.code !== 'DUPLICATE_KEY')) {
    return { value: undefined, salvaged: undefined, problems, locate };
  }

  let raw: unknown;
  try {
    raw = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    problems.push({
      path: [],
      place: placeAt(firstAliasOffset(document) ?? 0),
      message: `the aliases expand to too much or point nowhere (${reason}); expected at most ${MAX_ALIASES} of them`,
    });
    return { value: undefined, salvaged: undefined, problems, locate };
  }
  if (raw === null || raw === undefined) {
    if (problems.length === 0) {
      problems.push({ path: [], place: { line: 1, column: 1 }, message: 'the document is empty' });
    }
    return { value: undefined, salvaged: undefined, problems, locate };
  }

  const checked = schema.safeParse(raw);
  if (!checked.success) {
    for (const { path, message, part } of describeIssues(checked.error.issues, schema, raw)) {
      const place = locate(path, part);
      problems.push(place ? { path, place, message } : { path, message });
    }
  }
  problems.sort(compareProblems);
  const salvaged = checked.success ? checked.data : salvage(raw, schema);
  return { value: problems.length === 0 ? salvaged : undefined, salvaged, problems, locate };
}

function syntaxMessage(code: string, message: string): string {
  if (code === 'DUPLICATE_KEY') return 'duplicate key; expected each key once';
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here; expected one';
  return message.replace(/ at line \d+, column \d+:[\s\S]*$/, '');
}

/** Offset of the node (or its key) at `path`, else of the deepest parent that exists. */
function offsetOf(document: Document, path: ProblemPath, part: 'key' | 'value'): number | undefined {
  let node: unknown = document.contents;
  let offset = (node as Node | null)?.range?.[0];
  for (const [depth, step] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find((item) => keyText(item.key) === String(step));
      if (!pair) return offset;
      const keyOffset = (pair.key as Node | null)?.range?.[0];
      const valueOffset = (pair.value as Node | null)?.range?.[0];
      const last = depth === path.length - 1;
      offset = (last && part === 'key' ? keyOffset : (valueOffset ?? keyOffset)) ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      const item = node.items[Number(step)] as Node | undefined;
      if (!item) return offset;
      offset = item.range?.[0] ?? offset;
      node = item;
    } else {
      return offset;
    }
  }
  return offset;
}

/** The path of the innermost collection around an offset, for errors that the parser gives by offset only. */
function pathAt(document: Document, offset: number): ProblemPath {
  const path: (string | number)[] = [];
  let node: unknown = document.contents;
  for (;;) {
    let next: unknown;
    if (isMap(node)) {
      const pair = node.items.find((item) => covers(item.key, offset) || covers(item.value, offset));
      if (pair) path.push(keyText(pair.key));
      next = pair && covers(pair.value, offset) ? pair.value : undefined;
    } else if (isSeq(node)) {
      const index = node.items.findIndex((item) => covers(item, offset));
      if (index >= 0) path.push(index);
      next = node.items[index];
    }
    if (next === undefined) return path;
    node = next;
  }
}

function covers(node: unknown, offset: number): boolean {
  const range = (node as Node | null | undefined)?.range;
  return (
    range !== undefined && range !== null && range[0] <= offset && offset < Math.max(range[1], range[0] + 1)
  );
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function firstAliasOffset(document: Document): number | undefined {
  const pending: unknown[] = [document.contents];
  while (pending.length > 0) {
    const node = pending.shift();
    if (isAlias(node)) return node.range?.[0];
    if (isMap(node)) pending.push(...node.items.map((item) => item.value));
    else if (isSeq(node)) pending.push(...node.items);
  }
  return undefined;
}
