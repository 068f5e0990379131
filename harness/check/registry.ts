import { SquallError } from '../errors/index.ts';
import { type CheckSpec, processWide } from '../record/index.ts';
import { baselineBound } from './built-in/baseline-bound.ts';
import { bedClean } from './built-in/bed-clean.ts';
import { eventCount, noEvent } from './built-in/event-count.ts';
import { faultsBit } from './built-in/faults-bit.ts';
import { hostQuiet } from './built-in/host-quiet.ts';
import { logsComplete } from './built-in/logs-complete.ts';
import { measureBound } from './built-in/measure-bound.ts';
import { published } from './built-in/published.ts';
import { recoveryTime } from './built-in/recovery-time.ts';
import type { CheckDefinition } from './definition.ts';

const BUILT_IN: readonly (readonly [string, CheckDefinition<unknown>])[] = [
  ['measure-bound', measureBound],
  ['event-count', eventCount],
  ['no-event', noEvent],
  ['recovery-time', recoveryTime],
  ['baseline-bound', baselineBound],
  ['faults-bit', faultsBit],
  ['bed-clean', bedClean],
  ['host-quiet', hostQuiet],
  ['logs-complete', logsComplete],
  ['published', published],
];
const builtIn = new Set(BUILT_IN.map(([name]) => name));
const checks = processWide<CheckDefinition<unknown>>('checks');
for (const [name, definition] of BUILT_IN) checks.set(name, definition);

/**
 * Registers a check under a name that scenarios use. Registering the same name again replaces a suite's own check, so
 * that a suite may be loaded twice, but never a built-in one.
 * @throws SquallError `check-clash` (input)
 */
export function registerCheck<P>(name: string, definition: CheckDefinition<P>): void {
  if (builtIn.has(name)) {
    throw new SquallError(`check "${name}": is built in; expected a name of the suite's own`, {
      code: 'check-clash',
      blame: 'input',
      hint: 'Begin it with the suite: "memberlist.no-early-death".',
    });
  }
  checks.set(name, definition);
}

/** Names of all checks, sorted. */
export function registeredChecks(): readonly string[] {
  return [...checks.keys()].sort();
}

export function findCheck(name: string): CheckDefinition<unknown> | undefined {
  return checks.get(name);
}

/** What is wrong with a check as written: an unknown name, or parameters that it does not take. Empty: nothing. */
export function checkProblems(spec: CheckSpec): readonly string[] {
  const definition = findCheck(spec.check);
  if (!definition)
    return [`check "${spec.check}" is not registered; known: ${registeredChecks().join(', ')}`];
  const parsed = definition.parameters.safeParse(spec.parameters);
  if (parsed.success) return [];
  return parsed.error.issues.map(
    (issue) => `check "${spec.title}": ${['parameters', ...issue.path].join('.')}: ${issue.message}`,
  );
}
