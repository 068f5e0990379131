import type { RecordedEvent } from '../record/index.ts';
import type { ConditionMatcher } from './event-log.ts';

/**
 * Waits for an event by name: from any node; or `count` times; or, with `everyNode`, once from each of these.
 * `where` compares fields by value (numbers, strings, booleans, null).
 */
export function matchEvent(wanted: {
  readonly event: string;
  readonly nodes?: readonly string[];
  readonly count?: number;
  readonly everyNode?: boolean;
  readonly where?: Readonly<Record<string, unknown>>;
}): ConditionMatcher {
  const allowed = wanted.nodes ? new Set(wanted.nodes) : undefined;
  const seen = new Set<string>();
  const target = wanted.count ?? 1;
  let count = 0;
  const matches = (event: RecordedEvent): boolean =>
    event.event === wanted.event &&
    (!allowed || allowed.has(event.node)) &&
    Object.entries(wanted.where ?? {}).every(([field, value]) => event.fields[field] === value);
  const done = (): boolean => (wanted.everyNode && allowed ? seen.size >= allowed.size : count >= target);
  const scope = wanted.everyNode
    ? ` from each of ${allowed?.size ?? 0} nodes`
    : target > 1
      ? ` ${target} times`
      : allowed && allowed.size === 1
        ? ` from ${[...allowed][0]}`
        : '';
  return {
    what: `event "${wanted.event}"${scope}`,
    accepts(event) {
      if (matches(event)) {
        count += 1;
        seen.add(event.node);
      }
      return done();
    },
    progress() {
      if (!wanted.everyNode || !allowed) return `${count} of ${target}`;
      const missing = [...allowed].filter((name) => !seen.has(name));
      const named = missing.slice(0, 5).join(', ') + (missing.length > 5 ? ', …' : '');
      return `${seen.size} of ${allowed.size} (missing ${named})`;
    },
  };
}
