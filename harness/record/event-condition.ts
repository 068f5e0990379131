import { SquallError } from '../errors/index.ts';
import { processWide } from './process-wide.ts';
import type { RecordedEvent } from './types.ts';

/**
 * What a field of an event must be: a value (equal), a list (one of these), or limits such as `{'>=': 8}`.
 * A list field equals a wanted value only as one of several; nested objects are compared deeply.
 */
export type WhereValue = unknown;

/** Something to look for in a trial's events. */
export type EventCondition =
  | {
      readonly event: string;
      /** Selector; whoever makes the matcher has resolved it to node names. */
      readonly on?: string;
      /** That many matching events in all (default 1), or `all`: at least one from each of the nodes. */
      readonly count?: number | 'all';
      readonly where?: Readonly<Record<string, WhereValue>>;
    }
  | { readonly predicate: string; readonly parameters?: Readonly<Record<string, unknown>> };

/** Fed event by event; says when the condition holds, and how far it got. */
export interface EventConditionMatcher {
  /** What is awaited, for people: `event "converged" from each of 16 nodes`. */
  readonly what: string;
  /** Feeds one event; true from the event on that fulfils the condition. */
  push(event: RecordedEvent): boolean;
  /** The same as `push`, under the name that an event log's waiter calls. */
  accepts(event: RecordedEvent): boolean;
  /** `14 of 16 (missing member-3, member-9)`. */
  progress(): string;
  /**
   * When the last of what it has counted happened (CLOCK_MONOTONIC): nodes are heard a little out of order, so that the event that
   * fulfils the condition need not be the latest.
   */
  latestNs(): number;
}

/** A predicate over events: called with each new event, it may keep what it needs between calls. */
export type EventPredicate = (
  parameters: Readonly<Record<string, unknown>>,
  nodes: readonly string[],
) => (event: RecordedEvent, soFar: readonly RecordedEvent[]) => boolean;

const predicates = processWide<EventPredicate>('predicates');

/**
 * Registers a predicate that conditions may name. The factory is called once a wait; what it returns is called with
 * each event (and all events of this wait so far) and must be cheap and pure.
 * @throws SquallError `predicate-clash` when the name is taken by different code
 */
export function registerPredicate(name: string, predicate: EventPredicate): void {
  const known = predicates.get(name);
  if (known && known.toString() !== predicate.toString()) {
    throw new SquallError(`predicate "${name}": registered twice; expected one meaning a name`, {
      code: 'predicate-clash',
      blame: 'input',
      hint: 'Rename one of the two.',
    });
  }
  predicates.set(name, predicate);
}

/**
 * A matcher of one condition over a stream of events.
 * @param condition what to look for
 * @param nodes names that the condition's `on` stands for; empty or absent means any node
 * @throws SquallError `unknown-predicate`; `zero-targets` for `count: all` without nodes (both input)
 */
export function createConditionMatcher(
  condition: EventCondition,
  nodes: readonly string[] = [],
): EventConditionMatcher {
  return 'predicate' in condition ? predicateMatcher(condition, nodes) : eventMatcher(condition, nodes);
}

/** Whether an event has this name, comes from one of the nodes and has these field values. */
export function matchesEvent(
  event: RecordedEvent,
  wanted: { readonly event: string; readonly where?: Readonly<Record<string, WhereValue>> },
  nodes?: ReadonlySet<string>,
): boolean {
  if (event.event !== wanted.event) return false;
  if (nodes && nodes.size > 0 && !nodes.has(event.node)) return false;
  if (!wanted.where) return true;
  return Object.entries(wanted.where).every(([field, expected]) => holds(event.fields[field], expected));
}

function eventMatcher(
  condition: Extract<EventCondition, { event: string }>,
  nodes: readonly string[],
): EventConditionMatcher {
  const allowed = new Set(nodes);
  const everyNode = condition.count === 'all';
  if (everyNode && allowed.size === 0) {
    throw new SquallError(`condition on event "${condition.event}": "count: all" of no node`, {
      code: 'zero-targets',
      blame: 'input',
      hint: 'Say which nodes with "on".',
    });
  }
  const target = typeof condition.count === 'number' ? condition.count : 1;
  const seen = new Set<string>();
  let count = 0;
  let latestNs = 0;
  const push = (event: RecordedEvent): boolean => {
    if (matchesEvent(event, condition, allowed)) {
      count += 1;
      latestNs = Math.max(latestNs, event.atNs);
      if (everyNode) seen.add(event.node);
    }
    return everyNode ? seen.size >= allowed.size : count >= target;
  };
  const scope = everyNode
    ? ` from each of ${allowed.size} nodes`
    : `${target > 1 ? ` ${target} times` : ''}${allowed.size === 1 ? ` from ${[...allowed][0]}` : ''}`;
  return {
    what: `event "${condition.event}"${condition.where ? ` with ${JSON.stringify(condition.where)}` : ''}${scope}`,
    push,
    accepts: push,
    latestNs: () => latestNs,
    progress() {
      if (!everyNode) return `${count} of ${target}`;
      const missing = [...allowed].filter((name) => !seen.has(name));
      const named = missing.slice(0, 5).join(', ') + (missing.length > 5 ? ', …' : '');
      return `${seen.size} of ${allowed.size}${missing.length > 0 ? ` (missing ${named})` : ''}`;
    },
  };
}

function predicateMatcher(
  condition: Extract<EventCondition, { predicate: string }>,
  nodes: readonly string[],
): EventConditionMatcher {
  const predicate = predicates.get(condition.predicate);
  if (!predicate) {
    throw new SquallError(
      `condition: predicate "${condition.predicate}" is not registered; known: ${[...predicates.keys()].sort().join(', ') || 'none'}`,
      {
        code: 'unknown-predicate',
        blame: 'input',
        hint: 'Register it in the suite with registerPredicate().',
      },
    );
  }
  const holdsNow = predicate(condition.parameters ?? {}, nodes);
  const soFar: RecordedEvent[] = [];
  let done = false;
  let latestNs = 0;
  const push = (event: RecordedEvent): boolean => {
    if (done) return true;
    soFar.push(event);
    // Faults are told of before they are in force.
    if (event.node !== 'harness') latestNs = Math.max(latestNs, event.atNs);
    done = holdsNow(event, soFar);
    return done;
  };
  return {
    what: `predicate "${condition.predicate}"`,
    push,
    accepts: push,
    latestNs: () => latestNs,
    progress: () => `${soFar.length} events seen`,
  };
}

const LIMITS: Readonly<Record<string, (value: number, limit: number) => boolean>> = {
  '>=': (value, limit) => value >= limit,
  '>': (value, limit) => value > limit,
  '<=': (value, limit) => value <= limit,
  '<': (value, limit) => value < limit,
};

function holds(value: unknown, expected: unknown): boolean {
  if (Array.isArray(expected)) return expected.some((one) => holds(value, one));
  if (expected !== null && typeof expected === 'object') {
    const entries = Object.entries(expected);
    if (entries.length > 0 && entries.every(([key]) => key in LIMITS || key === '!=')) {
      return entries.every(([key, limit]) =>
        key === '!='
          ? !holds(value, limit)
          : typeof value === 'number' && typeof limit === 'number' && LIMITS[key]?.(value, limit) === true,
      );
    }
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
    return entries.every(([key, inner]) => holds((value as Record<string, unknown>)[key], inner));
  }
  return value === expected;
}
