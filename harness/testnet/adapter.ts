import { SquallError } from '../errors/index.ts';
import type { RecordedEvent } from '../record/index.ts';
import type { AdapterSpec } from '../topology/index.ts';
import { nowNs } from './monotonic.ts';

/** Longest text that a pattern is tried on: patterns are the user's, but the text is the node's and hostile. */
const MAX_TEXT = 65_536;

/** How one adapter has done on one node. Nothing matched means that its events prove nothing: inconclusive. */
export interface AdapterReport {
  readonly node: string;
  readonly event: string;
  readonly source: AdapterSpec['source'];
  readonly expression: string;
  readonly matched: number;
  readonly unmatched: number;
  /** That it matched nothing says nothing. */
  readonly optional?: boolean;
}

/** Turns a foreign image's text into events as the topology declares. */
export interface Adapter {
  readonly spec: AdapterSpec;
  /** The event of this text, if it matches. */
  offer(text: string): RecordedEvent | undefined;
  report(): AdapterReport;
}

interface Extracted {
  readonly fields: Readonly<Record<string, unknown>>;
  /** What the adapter's `time` names. */
  readonly time: unknown;
}
type Extract = (text: string) => Extracted | undefined;

/**
 * Values at `$.a.b[0]`, `$['a b']`; undefined when the path leads nowhere.
 * @throws SquallError `bad-adapter` (input) for other JSONPath features
 */
export function readJsonPath(path: string): (value: unknown) => unknown {
  const body = path.slice(1);
  const parts = [...body.matchAll(/\.([A-Za-z_][\w-]*)|\[(\d+)\]|\['([^']*)'\]/gy)];
  if (!path.startsWith('$') || parts.map((part) => part[0]).join('') !== body) {
    throw new SquallError(
      `adapter path "${path}": not understood; expected $.name, $.list[0] or $['a name']`,
      {
        code: 'bad-adapter',
        blame: 'input',
      },
    );
  }
  const keys = parts.map(([, name, index, quoted]) => name ?? quoted ?? Number(index));
  return (value) =>
    keys.reduce<unknown>((at, key) => {
      if (typeof at !== 'object' || at === null) return undefined;
      return Object.hasOwn(at, key) ? (at as Record<string | number, unknown>)[key] : undefined;
    }, value);
}

function compileRegex({ event }: AdapterSpec, expression: string): RegExp {
  try {
    return new RegExp(expression, 'u');
  } catch (cause) {
    throw new SquallError(`adapter for "${event}": its regex is not valid: ${expression}`, {
      code: 'bad-adapter',
      blame: 'input',
      cause,
    });
  }
}

function regexExtract(spec: AdapterSpec): Extract {
  const pattern = compileRegex(spec, spec.match.expression);
  const wanted = Object.entries(spec.fields);
  return (text) => {
    const match = pattern.exec(text);
    if (!match) return undefined;
    const groups = match.groups ?? {};
    const fields =
      wanted.length === 0
        ? { ...groups }
        : Object.fromEntries(wanted.map(([field, group]) => [field, numberOrText(groups[group])]));
    return { fields, time: spec.time === undefined ? undefined : groups[spec.time] };
  };
}

/** The expression beside a JSON path; every text matches without one. */
function groupsOf(spec: AdapterSpec): (value: unknown) => Readonly<Record<string, string>> | undefined {
  const { regex } = spec.match;
  if (regex === undefined) return () => ({});
  const pattern = compileRegex(spec, regex);
  return (value) => {
    const match = typeof value === 'string' ? pattern.exec(value) : null;
    return match ? { ...match.groups } : undefined;
  };
}

function jsonExtract(spec: AdapterSpec): Extract {
  // `$.path` matches when there is a value; `$.path == "text"` when it is that one.
  const comparison = /^(.*?)\s*==\s*(?:"([^"]*)"|'([^']*)'|([\w.+-]+))\s*$/u.exec(spec.match.expression);
  const value = comparison ? (comparison[2] ?? comparison[3] ?? comparison[4]) : undefined;
  const read = readJsonPath((comparison?.[1] ?? spec.match.expression).trim());
  const readGroups = groupsOf(spec);
  const source = (at: string): ((document: unknown, groups: Readonly<Record<string, string>>) => unknown) => {
    if (spec.match.regex !== undefined && !at.startsWith('$')) return (_, groups) => numberOrText(groups[at]);
    return readJsonPath(at);
  };
  const fields = Object.entries(spec.fields).map(([field, at]) => [field, source(at)] as const);
  const readTime = spec.time === undefined ? () => undefined : source(spec.time);
  return (text) => {
    let document: unknown;
    try {
      document = JSON.parse(text);
    } catch {
      return undefined; // A line that is not JSON does not match; it is counted as such.
    }
    const found = read(document);
    if (found === undefined || found === null) return undefined;
    if (value !== undefined && String(found) !== value) return undefined;
    const groups = readGroups(found);
    if (!groups) return undefined;
    const named = Object.fromEntries(
      fields.map(([field, readField]) => [field, readField(document, groups)]),
    );
    return {
      fields: spec.rest ? { ...restOf(document), ...named } : named,
      time: readTime(document, groups),
    };
  };
}

/** All that a document says; a field that a later version adds is kept like the others. */
function restOf(document: unknown): Readonly<Record<string, unknown>> {
  return typeof document === 'object' && document !== null && !Array.isArray(document) ? { ...document } : {};
}

/** Texts as what they stand for; one that is not listed stays as it is. */
function translated(
  fields: Readonly<Record<string, unknown>>,
  values: AdapterSpec['values'],
): Readonly<Record<string, unknown>> {
  if (!values) return fields;
  const changed = Object.entries(values).flatMap(([field, meanings]) => {
    const text = String(fields[field]);
    return Object.hasOwn(meanings, text) ? [[field, meanings[text]] as const] : [];
  });
  return { ...fields, ...Object.fromEntries(changed) };
}

function numberOrText(text: string | undefined): unknown {
  return text !== undefined && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/**
 * Wall-clock text (ISO 8601, Unix seconds or milliseconds) on the monotonic clock; the clocks are compared now.
 * Undefined when it is not a time.
 */
export function wallTimeToMonoNs(value: unknown): number | undefined {
  const number = typeof value === 'number' ? value : Number(value);
  const unixMs =
    Number.isFinite(number) && value !== ''
      ? number > 1e11
        ? number
        : number * 1_000
      : Date.parse(String(value));
  return Number.isFinite(unixMs) ? Math.round(nowNs() - (Date.now() - unixMs) * 1e6) : undefined;
}

/** @throws SquallError `bad-adapter` (input) when its expression cannot be compiled */
export function compileAdapter(node: string, spec: AdapterSpec): Adapter {
  const extract = spec.match.kind === 'regex' ? regexExtract(spec) : jsonExtract(spec);
  let matched = 0;
  let unmatched = 0;
  return {
    spec,
    offer(text) {
      const found = text.length > MAX_TEXT ? undefined : extract(text);
      if (!found) {
        unmatched += 1;
        return undefined;
      }
      matched += 1;
      const timed = spec.time === undefined ? undefined : wallTimeToMonoNs(found.time);
      return {
        node,
        event: spec.event,
        atNs: timed ?? nowNs(),
        fields: translated(found.fields, spec.values),
      };
    },
    report: () => ({
      node,
      event: spec.event,
      source: spec.source,
      expression: spec.match.expression,
      matched,
      unmatched,
      ...(spec.optional ? { optional: true } : {}),
    }),
  };
}
