import type { CheckSpec } from '../record/index.ts';

/** A step awaited something of the system that did not come, and the step says that this is a failure. */
export const MISSED_EVENT = 'expectation.missed';
/** A node ended and no fault of ours had asked for it. */
export const CRASH_EVENT = 'node.crashed';

const STANDING_CHECKS: readonly CheckSpec[] = [
  {
    check: 'no-event',
    title: 'everything awaited came in time',
    kind: 'invariant',
    parameters: { event: MISSED_EVENT },
    reason: 'A trial whose steps did not get where they wanted has not shown what it was for.',
  },
  {
    check: 'no-event',
    title: 'no node ended by itself',
    kind: 'invariant',
    parameters: { event: CRASH_EVENT },
    reason: 'A node that crashed and came back must not go unseen, whatever else passed.',
  },
];

/** Every scenario is judged by these as well, unless it says itself what the same event means. */
export function withStandingChecks(checks: readonly CheckSpec[]): readonly CheckSpec[] {
  const said = new Set(checks.map((check) => check.parameters['event']));
  return [...checks, ...STANDING_CHECKS.filter((check) => !said.has(check.parameters['event']))];
}
