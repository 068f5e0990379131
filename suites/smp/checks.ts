/** Checks and measures that several rows share. */
import type { CheckSpec, ExpectationSpec, MeasureSpec } from '../../harness/index.ts';
import { MUTANTS, NEW_AND_MUTANTS } from './points.ts';
import { EXCHANGED } from './steps.ts';

export const guards: readonly CheckSpec[] = [
  { check: 'faults-bit', title: 'the fault was seen to bite', kind: 'guard', parameters: {} },
  { check: 'bed-clean', title: 'the bed was clean afterwards', kind: 'guard', parameters: {} },
  { check: 'logs-complete', title: 'no event was lost', kind: 'guard', parameters: {} },
];

/** Of rows whose fault is what a script or a clock does. */
export const guardsWithoutFault = guards.filter(({ check }) => check !== 'faults-bit');

/** A trial whose first pick was another is no trial of the row, whatever the seed promised. */
export const firstPickWasP1: CheckSpec = {
  check: 'measure-bound',
  title: 'the first pick was P1',
  kind: 'guard',
  parameters: { measure: 'firstPickWasProxy1', op: '=', value: 1 },
  reason: 'The document counts trials where the first pick was P1; seeds are chosen so, and this asserts it.',
};

export const connects: CheckSpec = {
  check: 'measure-bound',
  title: 'the agent connects',
  kind: 'invariant',
  parameters: { measure: 'connected', op: '=', value: 1 },
  reason: 'A connection must not stay at “connecting…” because one of several proxies cannot forward.',
};

/** Judged where a good proxy is known to come up within the watch. */
export const connectsWithGoodPick: CheckSpec = { ...connects, where: { picks: [2, 6] } };

/** What `connects` must find of the old agent. */
export const masterDoesNotConnect: ExpectationSpec = {
  where: { variant: 'master' },
  check: connects.title,
  outcome: 'fail',
  reason: 'The old agent keeps the proxy that cannot forward, and every retry goes through it again.',
};

/** The same where the new agent may fail as well, by what chance has it pick: asked of the old agent, which never may connect. */
export const oldAgentConnects: CheckSpec = {
  ...connects,
  title: 'the old agent connects',
  where: { variant: 'master' },
};

/** What `oldAgentConnects` must find. */
export const oldAgentDoesNotConnect: ExpectationSpec = {
  ...masterDoesNotConnect,
  check: oldAgentConnects.title,
};

/** And in every trial of it, not in one only. */
export const masterStaysStuck: CheckSpec = {
  check: 'measure-bound',
  title: 'the old agent stays stuck in every trial',
  kind: 'invariant',
  parameters: { measure: 'connected', op: '=', value: 0 },
  where: { variant: 'master' },
  reason: 'The document saw no trial of the old agent connect.',
};

/**
 * A first report after the proxy's 30 s, a next attempt, and its report: then the streak is older than 30 s and P1 is
 * forgotten. Attempts of a user add his taps and a client's own timeout of 20 s before it.
 */
export const forgetsInTime = (withinS: number, reason: string): CheckSpec => ({
  check: 'measure-bound',
  title: `the first proxy, which cannot forward, is kept for at most ${withinS} s`,
  kind: 'invariant',
  parameters: { measure: 'firstKeptS', op: '<=', value: withinS, missing: 'ignore' },
  where: ofTheNewExcept('repick-without-forget-on-streak'),
  reason,
});

export const noLoss: readonly CheckSpec[] = [
  {
    check: 'measure-bound',
    title: 'no message is lost',
    kind: 'invariant',
    parameters: { measure: 'lost', op: '=', value: 0 },
    reason: 'What a server acknowledged must arrive.',
  },
  {
    check: 'measure-bound',
    title: 'no message arrives twice',
    kind: 'invariant',
    parameters: { measure: 'doubled', op: '=', value: 0 },
    reason: 'A retry of a send whose answer was lost must not show up twice.',
  },
];

/** Of rows that end with `exchangeStep`. */
export const exchanges = (where?: CheckSpec['where']): readonly CheckSpec[] => [
  ...noLoss,
  {
    check: 'measure-bound',
    title: 'every message arrives',
    kind: 'invariant',
    parameters: { measure: 'undelivered', op: '=', value: 0 },
    reason: 'The connection stands, and goes through a proxy that forwards.',
  },
  {
    check: 'measure-bound',
    title: 'messages were exchanged',
    kind: 'guard',
    parameters: { measure: 'sent', op: '=', value: EXCHANGED },
    ...(where && { where }),
    reason: 'Where nothing was sent nothing can be lost.',
  },
];

/** The choice is as it was: nothing was forgotten. */
export const choiceStays = (where?: CheckSpec['where']): CheckSpec => ({
  check: 'measure-bound',
  title: 'the choice does not move',
  kind: 'invariant',
  parameters: { measure: 'forgotten', op: '=', value: 0 },
  ...(where && { where }),
  reason: 'Each move shows the destination to one more proxy; limiting that is why there is a streak.',
});

export const exposedTo = (atMost: number, reason: string, where?: CheckSpec['where']): CheckSpec => ({
  check: 'measure-bound',
  title: `at most ${atMost} ${atMost === 1 ? 'proxy learns' : 'proxies learn'} of the destination`,
  kind: 'invariant',
  parameters: { measure: 'exposedProxies', op: '<=', value: atMost },
  ...(where && { where }),
  reason,
});

export const choiceMeasureSpecs: readonly MeasureSpec[] = [
  { name: 'firstPickWasProxy1', title: 'First pick was P1', unit: '' },
  { name: 'repicks', title: 'Re-picks', unit: 're-picks' },
  { name: 'repicksOfFailed', title: '… of the failed proxy', unit: 're-picks' },
  { name: 'streaksForgotten', title: 'Streaks that ended in forgetting', unit: 'streaks' },
  { name: 'firstKeptS', title: 'Time that the first failing proxy was kept', unit: 's' },
  { name: 'longestKeptS', title: 'Longest time that a failing proxy was kept', unit: 's' },
  { name: 'forgotten', title: 'Choices forgotten', unit: 'choices' },
  { name: 'exposedProxies', title: 'Distinct proxies that learnt of the destination', unit: 'proxies' },
  { name: 'failedAtClient', title: 'Failures by the client’s own timeout or connection', unit: 'failures' },
  { name: 'failedAtProxy', title: '… of the proxy', unit: 'failures' },
  { name: 'failedAtRelay', title: '… of the relay', unit: 'failures' },
];

export const connectMeasureSpecs: readonly MeasureSpec[] = [
  { name: 'connected', title: 'Connected', unit: '' },
  { name: 'connectedS', title: 'Time to connect', unit: 's' },
];

export const retryMeasureSpecs: readonly MeasureSpec[] = [
  { name: 'retries', title: 'Retries tapped', unit: 'Retries' },
  { name: 'retriesToConnect', title: 'Retries until connected', unit: 'Retries' },
  { name: 'connectedWithoutRetry', title: 'Connected without a Retry', unit: '' },
];

export const messageMeasureSpecs: readonly MeasureSpec[] = [
  { name: 'sent', title: 'Messages sent', unit: 'messages' },
  { name: 'delivered', title: 'Messages delivered', unit: 'messages' },
  { name: 'undelivered', title: 'Not delivered when the watch ended', unit: 'messages' },
  { name: 'lost', title: 'Messages lost', unit: 'messages' },
  { name: 'doubled', title: 'Messages doubled', unit: 'messages' },
  { name: 'delayMedianS', title: 'Median delay', unit: 's' },
  { name: 'delayP99S', title: '99th percentile of the delay', unit: 's' },
  { name: 'delayMaxS', title: 'Longest delay', unit: 's' },
];

/** Where a check of the new agent is judged: mutants run by hand are held against it too. */
export const ofTheNew = { variant: NEW_AND_MUTANTS } as const;
/** Without the variants in which what the check looks at does not happen: it would have no value to judge there. */
export function ofTheNewExcept(...variants: readonly string[]) {
  return { variant: NEW_AND_MUTANTS.filter((variant) => !variants.includes(variant)) };
}
export const ofMutants = { variant: ['repick', ...MUTANTS] } as const;

/** Warp of the rows that measure timeouts; the same row at warp 1 is the control. */
export const warpUpTo = (ceiling: number, scenario: string) => ({
  ceiling,
  control: `${scenario} at warp 1`,
});
