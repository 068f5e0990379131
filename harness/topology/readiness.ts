import type { ProblemPath } from '../document/index.ts';
import type { ProblemList } from './problem-list.ts';
import type { NodeGroup } from './schema.ts';
import type { AdapterSpec, Readiness } from './types.ts';

const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * How a group's nodes are known to be ready; without a word, our images say `ready` and others have merely started.
 * @param ours undefined when the image is not known, which is a problem of its own
 */
export function resolveReadiness(
  group: NodeGroup,
  ours: boolean | undefined,
  adapters: readonly AdapterSpec[],
  path: ProblemPath,
  problems: ProblemList,
): Readiness {
  const given = group.readiness ?? {};
  const timeoutMs = given.timeout ?? DEFAULT_TIMEOUT_MS;
  if (timeoutMs === 0) problems.add([...path, 'timeout'], '0 found; expected some time to become ready in');
  const kinds = (['event', 'log', 'http', 'started'] as const).filter((kind) => given[kind] !== undefined);
  if (kinds.length > 1) {
    problems.add(path, `${kinds.join(' and ')} found together; expected one of event, log, http and started`);
  } else if (
    kinds.length === 0 &&
    group.readiness !== undefined &&
    given.timeout === undefined &&
    !problems.within(path)
  ) {
    problems.add(path, 'says nothing; expected one of event, log, http and started');
  }
  if (given.http) {
    if (!given.http.path.startsWith('/')) {
      problems.add(
        [...path, 'http', 'path'],
        `"${given.http.path}" found; expected a path that begins with /`,
      );
    }
    return { kind: 'http', ...given.http, timeoutMs };
  }
  if (given.log !== undefined) {
    const wrong = wrongRegex(given.log);
    if (wrong) problems.add([...path, 'log'], wrong);
    return { kind: 'log', pattern: given.log, timeoutMs };
  }
  if (given.event !== undefined) {
    if (ours === false && !adapters.some((adapter) => adapter.event === given.event)) {
      problems.add(
        [...path, 'event'],
        `a foreign image says no events by itself, and no adapter makes "${given.event}"; expected log, http, started or such an adapter`,
      );
    }
    return { kind: 'event', event: given.event, timeoutMs };
  }
  if (given.started || !ours) return { kind: 'started', timeoutMs };
  return { kind: 'event', event: 'ready', timeoutMs };
}

/** Why a text is no regular expression, or `undefined`. */
export function wrongRegex(text: string): string | undefined {
  try {
    new RegExp(text, 'u');
    return undefined;
  } catch (error) {
    return `no regular expression (${error instanceof Error ? error.message : String(error)})`;
  }
}
