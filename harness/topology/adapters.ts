import { type ProblemPath, suggestionFor } from '../document/index.ts';
import type { ProblemList } from './problem-list.ts';
import { wrongRegex } from './readiness.ts';
import type { NodeGroup } from './schema.ts';
import type { AdapterSpec } from './types.ts';

const DEFAULT_EVERY_MS = 1_000;

type GivenAdapter = NodeGroup['adapters'][number];

/** A group's adapters with every default, each checked against its own source. */
export function resolveAdapters(
  given: readonly GivenAdapter[],
  path: ProblemPath,
  problems: ProblemList,
): AdapterSpec[] {
  return given.map((adapter, index) => resolveAdapter(adapter, [...path, index], problems));
}

function resolveAdapter(given: GivenAdapter, path: ProblemPath, problems: ProblemList): AdapterSpec {
  const { regex, jsonpath } = given.match ?? {};
  if ((regex === undefined) === (jsonpath === undefined)) {
    problems.add([...path, 'match'], 'expected one of regex and jsonpath');
  }
  if (regex !== undefined) checkRegex(regex, given, path, problems);
  if (!/^[a-z][a-z0-9-]*(\.[a-z0-9-]+)*$/.test(given.event) && given.event !== '') {
    problems.add(
      [...path, 'event'],
      `"${given.event}" is no event name; expected lower-case words with dots, such as peer.lost`,
    );
  }
  const asked = given.source === 'http' || given.source === 'metrics';
  if (asked && !/^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?\//.test(given.url ?? '')) {
    problems.add(
      given.url === undefined ? path : [...path, 'url'],
      'expected a url on the node’s own loopback, such as http://127.0.0.1:9100/metrics',
    );
  }
  if (given.source === 'file' && !given.path?.startsWith('/')) {
    problems.add(
      given.path === undefined ? path : [...path, 'path'],
      'expected path, the file’s absolute path inside the container',
    );
  }
  if (given.source === 'stdout') {
    for (const key of ['url', 'path', 'every'] as const) {
      if (given[key] !== undefined)
        problems.add([...path, key], 'not for stdout, which is followed as it comes', 'key');
    }
  }
  const everyMs = given.source === 'stdout' ? undefined : (given.every ?? DEFAULT_EVERY_MS);
  return {
    source: given.source,
    match: { kind: regex === undefined ? 'jsonpath' : 'regex', expression: regex ?? jsonpath ?? '' },
    event: given.event,
    fields: given.fields,
    ...(given.time === undefined ? {} : { time: given.time }),
    ...(given.url === undefined ? {} : { url: given.url }),
    ...(given.path === undefined ? {} : { path: given.path }),
    ...(everyMs === undefined ? {} : { everyMs }),
  };
}

function checkRegex(regex: string, given: GivenAdapter, path: ProblemPath, problems: ProblemList): void {
  const wrong = wrongRegex(regex);
  if (wrong) {
    problems.add([...path, 'match', 'regex'], wrong);
    return;
  }
  const groups = [...regex.matchAll(/\(\?<([A-Za-z_$][\w$]*)>/g)].map(([, name = '']) => name);
  for (const [field, name] of Object.entries(given.fields)) {
    if (!groups.includes(name)) {
      problems.add(
        [...path, 'fields', field],
        `the regular expression has no group "${name}"${suggestionFor(name, groups)}`,
      );
    }
  }
  if (given.time !== undefined && !groups.includes(given.time)) {
    problems.add(
      [...path, 'time'],
      `the regular expression has no group "${given.time}"${suggestionFor(given.time, groups)}`,
    );
  }
}
