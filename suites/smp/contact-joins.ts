/** The document's first row: a contact joins the agent's link, and the agent's reply goes through P1 in the background. */
import type { AggregateSpec, ScenarioSpec } from '../../harness/index.ts';
import { bedOverrides, holeStep, picksParameter, proxiesParameter, variantParameter } from './bed.ts';
import {
  choiceMeasureSpecs,
  connectMeasureSpecs,
  connectsWithGoodPick,
  exposedTo,
  firstPickWasP1,
  forgetsInTime,
  guards,
  masterDoesNotConnect,
  masterStaysStuck,
  ofTheNew,
  ofTheNewExcept,
  oldAgentConnects,
  oldAgentDoesNotConnect,
  warpUpTo,
} from './checks.ts';
import { BOTH, NEW } from './points.ts';
import { published } from './published.ts';
import { FIRST_PICK_P1_THEN_GOOD } from './seeds.ts';
import { begin, contactJoins, untilConnected } from './steps.ts';

/**
 * 30 s until the proxy's first report, 2 s until the next attempt, 30 s until its report: 62 s, and 8 s for connecting and a
 * slow host. Only the first streak of a trial is so short: pauses between attempts grow with what has been waited.
 */
export const BACKGROUND_KEPT_S = 70;

const DESKTOP_TIMES = ['desktop-contact-1', 'desktop-contact-2', 'desktop-contact-3', 'desktop-contact-4'];
const ANDROID_TIMES = [
  'android-contact-1',
  'android-contact-2',
  'android-contact-3',
  'android-contact-4',
  'android-contact-5',
];

/** One figure of ours beside each of the document's trials. */
const timesBeside = (title: string, ids: readonly string[], watch: string): AggregateSpec => ({
  title,
  op: 'mean',
  measure: 'connectedS',
  where: { variant: 'repick', proxies: 2, watch },
  unit: 's',
  published: ids,
});

const stuckBeside = (title: string, ids: readonly string[], watch: string): AggregateSpec => ({
  title,
  op: 'ratio',
  measure: 'notConnected',
  of: 'rows',
  where: { variant: 'master', proxies: 2, watch },
  unit: 'of the trials',
  published: ids,
});

const watchedBeside = (title: string, ids: readonly string[], watch: string): AggregateSpec => ({
  title,
  op: 'mean',
  measure: 'waitedS',
  where: { variant: 'master', proxies: 2, watch },
  unit: 's',
  published: ids,
});

/** The document's first mutation: the 30 s forget disabled. */
const WITHOUT_STREAK = 'repick-without-forget-on-streak';

export const contactJoinsRow: ScenarioSpec = {
  name: 'contact-joins',
  description:
    'A contact joins the agent’s link; the agent’s reply goes through P1, which cannot forward to the contact’s server. Nobody does anything.',
  topology: 'smp-two-proxies',
  parameters: {
    variant: variantParameter,
    proxies: proxiesParameter,
    watch: { type: 'duration', description: 'how long the agent has to connect', default: '10m' },
    picks: picksParameter,
  },
  overrides: bedOverrides,
  grids: {
    quick: { description: 'before and after, two proxies', axes: { variant: BOTH } },
    document: {
      description: 'the desktop row (watched for 10 min) and the Android row (for 300 s)',
      axes: { watch: ['10m'], variant: BOTH },
      points: BOTH.map((variant) => ({ variant, watch: '300s', picks: 0 })),
    },
    options: { description: 'the new agent with each option', axes: { variant: NEW } },
    mutation: {
      description: 'the document’s mutation check, with the 30 s forget off and on',
      axes: { watch: ['80s'], picks: [2], variant: [WITHOUT_STREAK, 'repick'] },
      trials: 2,
    },
    gate: {
      description:
        'one trial each: the old agent is stuck for longer than the new one needs, whose second pick is good',
      axes: { watch: ['80s'], picks: [2], variant: BOTH },
      trials: 1,
    },
  },
  defaultGrid: 'document',
  trials: 10,
  bed: 'reuse',
  seedWhere: FIRST_PICK_P1_THEN_GOOD,
  phases: [
    begin,
    { name: 'fault', steps: [holeStep] },
    { name: 'recovery', steps: [contactJoins, untilConnected('${watch}')] },
  ],
  measure: ['smp.choice', 'smp.connect', 'smp.relay', 'smp.streak-length'],
  measures: [
    ...connectMeasureSpecs,
    ...choiceMeasureSpecs,
    { name: 'keptForS', title: 'Time that a failing proxy was kept', unit: 's' },
    {
      name: 'streakLengthS',
      title: 'From the failure that begins a streak to the one that forgets',
      unit: 's',
    },
    { name: 'relayReconnects', title: 'Reconnects of P1 to R', unit: 'connects' },
  ],
  plots: [
    { title: 'Not yet connected', kind: 'survival', y: 'connectedS', series: 'variant' },
    { title: 'One trial', kind: 'timeline', y: 'proxy.chosen' },
  ],
  checks: [
    connectsWithGoodPick,
    // Where the picks are chance's.
    { ...oldAgentConnects, where: { variant: 'master', picks: 0 } },
    masterStaysStuck,
    forgetsInTime(
      BACKGROUND_KEPT_S,
      'The proxy reports after 30 s, the message is tried again 2 s later, and that report comes 30 s on: 62 s.',
    ),
    {
      check: 'measure-bound',
      title: 'a proxy that is chosen again starts clean',
      kind: 'invariant',
      parameters: { measure: 'keptForS', op: '>=', value: 60, missing: 'ignore' },
      // Where the client's own timeouts count a proxy goes sooner; without the streak none goes.
      where: ofTheNewExcept('repick-client-timeouts', 'repick-without-forget-on-streak'),
      reason: 'Each time it takes two reports of the proxy, each 30 s after its attempt.',
    },
    exposedTo(2, 'There are two proxies that cannot be told apart beforehand.', ofTheNew),
    firstPickWasP1,
    ...guards,
  ],
  expect: [
    { ...masterDoesNotConnect, where: { variant: 'master', picks: [2, 6] } },
    { ...oldAgentDoesNotConnect, where: { variant: 'master', picks: 0 } },
    {
      ...masterDoesNotConnect,
      where: { variant: WITHOUT_STREAK, picks: [2, 6] },
      reason: 'Without the streak nothing forgets a proxy whose connection is alive.',
    },
  ],
  aggregates: [
    timesBeside('Time to connect, desktop row, mean; published: each trial', DESKTOP_TIMES, '10m'),
    timesBeside('Time to connect, Android row, mean; published: each trial', ANDROID_TIMES, '300s'),
    timesBeside('Time to connect, mean; published: with one re-pick of P1', ['recording-contact'], '10m'),
    stuckBeside('Not connected after 10 min, old agent', ['desktop-contact-master'], '10m'),
    stuckBeside('Not connected after 300 s, old agent', ['android-contact-master'], '300s'),
    watchedBeside('Watched in vain for 10 min, old agent, mean', ['desktop-contact-watch'], '10m'),
    watchedBeside('Watched in vain for 300 s, old agent, mean', ['android-contact-watch'], '300s'),
    {
      title: 'Not connected, the new agent without the 30 s forget',
      op: 'ratio',
      measure: 'notConnected',
      of: 'rows',
      where: { variant: WITHOUT_STREAK },
      unit: 'of the trials',
      published: ['mutation-cannot-forward'],
    },
    {
      title: 'Connected within 10 min, new agent',
      op: 'ratio',
      measure: 'connected',
      of: 'rows',
      where: { variant: 'repick', proxies: 2, watch: '10m' },
      unit: 'of the trials',
      published: ['desktop-contact-connected'],
    },
    {
      title: 'From the failure that begins the streak to the one that forgets P1, new agent, mean',
      op: 'mean',
      measure: 'streakLengthS',
      where: { variant: 'repick', proxies: 2 },
      unit: 's',
      published: ['proxy-failure-interval', 'recording-streak'],
    },
  ],
  published: published(
    ...DESKTOP_TIMES,
    ...ANDROID_TIMES,
    'recording-contact',
    'desktop-contact-master',
    'desktop-contact-watch',
    'android-contact-master',
    'android-contact-watch',
    'desktop-contact-connected',
    'proxy-failure-interval',
    'recording-streak',
    'mutation-cannot-forward',
  ),
  kills: [
    {
      mutant: WITHOUT_STREAK,
      point: { variant: 'repick', watch: '80s', picks: 2 },
      trials: 2,
      reason: 'Without the streak nothing forgets a proxy whose connection is alive.',
    },
  ],
  warp: warpUpTo(8, 'contact-joins'),
  shortestTimeout: '2s',
};
