import { formatPath, type ProblemPath, suggestionFor } from '../document/index.ts';
import type { ImageDescription } from './image-description.ts';
import { ProblemList } from './problem-list.ts';
import { wrongRegex } from './readiness.ts';
import { adapter, type NodeGroup } from './schema.ts';
import type { AdapterSpec, ImageSource } from './types.ts';

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

/** What an image of ours brings along; a mistake in it is told where the image is named. */
export function imageAdapters(
  image: ImageSource,
  images: readonly ImageDescription[],
  path: ProblemPath,
  problems: ProblemList,
): AdapterSpec[] {
  if (image.kind !== 'ours') return [];
  const given = images.find(({ name }) => name === image.name)?.adapters ?? [];
  const own = new ProblemList([], () => undefined);
  const read = given.flatMap((one, index) => {
    const parsed = adapter.safeParse(one);
    if (parsed.success) return [resolveAdapter(parsed.data, [index], own)];
    own.add([index], parsed.error.issues.map(({ message }) => message).join('; '));
    return [];
  });
  for (const { path: at, message } of own.problems) {
    problems.add([...path, 'image'], `${image.name}: its adapter ${formatPath(at)}: ${message}`);
  }
  return read;
}

function resolveAdapter(given: GivenAdapter, path: ProblemPath, problems: ProblemList): AdapterSpec {
  const { regex, jsonpath } = given.match ?? {};
  if (regex === undefined && jsonpath === undefined) {
    problems.add([...path, 'match'], 'expected regex, jsonpath or both');
  }
  if (regex !== undefined) checkRegex(regex, given, path, problems);
  for (const field of Object.keys(given.values)) {
    if (!(field in given.fields))
      problems.add(
        [...path, 'values', field],
        `no field "${field}"${suggestionFor(field, Object.keys(given.fields))}`,
      );
  }
  if (given.rest && jsonpath === undefined) {
    problems.add([...path, 'rest'], 'only a JSON text has other fields; expected a match by jsonpath');
  }
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
    match:
      jsonpath === undefined
        ? { kind: 'regex', expression: regex ?? '' }
        : { kind: 'jsonpath', expression: jsonpath, ...(regex === undefined ? {} : { regex }) },
    event: given.event,
    fields: given.fields,
    ...(Object.keys(given.values).length === 0 ? {} : { values: given.values }),
    ...(given.rest ? { rest: true } : {}),
    ...(given.optional ? { optional: true } : {}),
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
  // Beside a JSON path, what begins with $ is one as well.
  const isPath = (name: string): boolean => given.match.jsonpath !== undefined && name.startsWith('$');
  for (const [field, name] of Object.entries(given.fields)) {
    if (!isPath(name) && !groups.includes(name)) {
      problems.add(
        [...path, 'fields', field],
        `the regular expression has no group "${name}"${suggestionFor(name, groups)}`,
      );
    }
  }
  if (given.time !== undefined && !isPath(given.time) && !groups.includes(given.time)) {
    problems.add(
      [...path, 'time'],
      `the regular expression has no group "${given.time}"${suggestionFor(given.time, groups)}`,
    );
  }
}
