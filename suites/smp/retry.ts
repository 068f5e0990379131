/** The document's second row: the agent joins a link, and its user taps Retry after each error. */
import type { AggregateSpec, ScenarioSpec } from '../../harness/index.ts';
import { bedOverrides, holeStep, picksParameter, proxiesParameter, variantParameter } from './bed.ts';
import {
  choiceMeasureSpecs,
  connectMeasureSpecs,
  exposedTo,
  firstPickWasP1,
  forgetsInTime,
  guards,
  masterStaysStuck,
  ofTheNew,
  oldAgentConnects,
  oldAgentDoesNotConnect,
  retryMeasureSpecs,
  warpUpTo,
} from './checks.ts';
import { BOTH, NEW } from './points.ts';
import { published } from './published.ts';
import { FIRST_PICK_P1_THEN_GOOD } from './seeds.ts';
import { appJoins, begin } from './steps.ts';

/**
 * Two waits of the client that do not count (20 s and 30 s), then two reports of the proxy, each 30 s after its attempt, and a
 * user's second before each: 113 s.
 */
const INTERACTIVE_KEPT_S = 125;

const RETRIES = ['desktop-retry-1', 'desktop-retry-2', 'desktop-retry-3'];
const ANDROID_RETRIES = ['android-retry-1', 'android-retry-2', 'android-retry-3', 'android-retry-4'];

const beside = (
  title: string,
  spec: Pick<AggregateSpec, 'op' | 'measure' | 'unit'> & { readonly of?: string },
  variant: string,
  cap: number,
  ids: readonly string[],
): AggregateSpec => ({ title, ...spec, where: { variant, proxies: 2, cap }, published: ids });

const retriesMean = { op: 'mean', measure: 'retriesToConnect', unit: 'Retries' } as const;
const timeMean = { op: 'mean', measure: 'connectedS', unit: 's' } as const;
const stuckShare = { op: 'ratio', measure: 'notConnected', of: 'rows', unit: 'of the trials' } as const;

export const retryRow: ScenarioSpec = {
  name: 'retry',
  description:
    'The agent joins a contact’s link through P1, which cannot forward; its user taps Retry after each error, as often as the cap allows.',
  topology: 'smp-two-proxies',
  parameters: {
    variant: variantParameter,
    proxies: proxiesParameter,
    cap: { type: 'integer', description: 'Retries that the user taps at most', default: 6, minimum: 0 },
    watch: { type: 'duration', description: 'how long the course is watched', default: '6m' },
    picks: { ...picksParameter, default: 0 },
  },
  overrides: (point) => ({
    ...bedOverrides(point),
    settings: { app: { retries: Number(point['cap']), retryOnErrorMs: 1_000 } },
  }),
  grids: {
    quick: { description: 'before and after, up to 6 Retries', axes: { variant: BOTH } },
    document: {
      description: 'up to 6 Retries, before and after, and up to 14 with the new agent',
      axes: { variant: BOTH },
      points: [{ variant: 'repick', cap: 14, watch: '12m' }],
    },
    options: { description: 'the new agent with each option', axes: { variant: NEW } },
  },
  defaultGrid: 'document',
  trials: 10,
  bed: 'reuse',
  seedWhere: FIRST_PICK_P1_THEN_GOOD,
  phases: [
    begin,
    { name: 'fault', steps: [holeStep] },
    {
      name: 'recovery',
      steps: [
        appJoins,
        {
          name: 'until the agent is connected, or its user has given up',
          until: { predicate: 'smp.join-over', parameters: { cap: '${cap}' } },
          within: '${watch}',
          orElse: 'continue',
        },
      ],
    },
  ],
  measure: ['smp.choice', 'smp.connect', 'smp.streak-length'],
  measures: [
    ...connectMeasureSpecs,
    ...retryMeasureSpecs,
    ...choiceMeasureSpecs,
    {
      name: 'streakLengthS',
      title: 'From the report that begins a streak to the one that forgets',
      unit: 's',
    },
  ],
  plots: [
    { title: 'Not yet connected', kind: 'survival', y: 'connectedS', series: 'variant', facet: 'cap' },
    { title: 'One trial', kind: 'timeline', y: 'retry.tapped' },
  ],
  checks: [
    oldAgentConnects,
    masterStaysStuck,
    {
      check: 'measure-bound',
      title: 'P1 is forgotten by its own reports',
      kind: 'invariant',
      parameters: { measure: 'streaksForgotten', op: '>=', value: 1 },
      where: ofTheNew,
      reason:
        'Six Retries give the proxy more than two reports 30 s apart, whichever way the first attempts end.',
    },
    {
      check: 'measure-bound',
      title: 'a join through a good proxy connects',
      kind: 'invariant',
      parameters: { measure: 'failedThroughGood', op: '=', value: 0 },
      reason: 'Once P2 is the choice, the next Retry must connect.',
    },
    {
      check: 'measure-bound',
      title: 'the attempt that picks a good proxy connects',
      kind: 'invariant',
      parameters: { measure: 'goodPickInVain', op: '=', value: 0 },
      reason: 'No further Retry is needed once another proxy than P1 is chosen.',
    },
    {
      check: 'measure-bound',
      title: 'some joins connect within the Retries',
      kind: 'estimate',
      parameters: { measure: 'connected', op: '>=', value: 0.1 },
      where: { variant: 'repick' },
      reason:
        'P1 is forgotten twice within six Retries, and each re-pick draws the other proxy with even chances: three of four joins connect.',
    },
    {
      check: 'measure-bound',
      title: 'each attempt ends',
      kind: 'guard',
      parameters: { measure: 'attemptsWithoutEnd', op: '=', value: 0 },
      reason: 'An attempt under way when the watch ends is neither stuck nor connected.',
    },
    {
      check: 'measure-bound',
      title: 'who was not connected has tapped as often as he may',
      kind: 'guard',
      parameters: { measure: 'retriesLeft', op: '=', value: 0 },
      reason: 'The document’s trials that fail do so at the cap.',
    },
    forgetsInTime(
      INTERACTIVE_KEPT_S,
      'Two client timeouts that do not count, then two reports of the proxy 31 s apart, and a Retry before each.',
    ),
    exposedTo(2, 'There are two proxies that cannot be told apart beforehand.', ofTheNew),
    firstPickWasP1,
    ...guards,
  ],
  expect: [oldAgentDoesNotConnect],
  aggregates: [
    beside(
      'Retries until connected, up to 6, mean; published: each desktop trial',
      retriesMean,
      'repick',
      6,
      RETRIES,
    ),
    beside(
      'Retries until connected, up to 6, mean; published: each Android trial',
      retriesMean,
      'repick',
      6,
      ANDROID_RETRIES,
    ),
    beside(
      'Retries until connected, up to 6, most',
      { op: 'max', measure: 'retriesToConnect', unit: 'Retries' },
      'repick',
      6,
      ['open-retries-desktop'],
    ),
    beside(
      'Retries tapped, up to 6, new agent, most',
      { op: 'max', measure: 'retries', unit: 'Retries' },
      'repick',
      6,
      ['android-retry-cap'],
    ),
    beside(
      'Retries tapped, old agent, most',
      { op: 'max', measure: 'retries', unit: 'Retries' },
      'master',
      6,
      ['desktop-retry-cap'],
    ),
    beside('Retries until connected, up to 14, mean; published: of one trial', retriesMean, 'repick', 14, [
      'android-retry-14',
    ]),
    beside(
      'Retries tapped, up to 14, most; published: the cap',
      { op: 'max', measure: 'retries', unit: 'Retries' },
      'repick',
      14,
      ['android-retry-14-cap'],
    ),
    beside(
      'Retries until connected, up to 14, most',
      { op: 'max', measure: 'retriesToConnect', unit: 'Retries' },
      'repick',
      14,
      ['open-retries-android'],
    ),
    beside('Time to connect with Retries, mean; published: fastest and slowest', timeMean, 'repick', 6, [
      'desktop-retry-fastest',
      'desktop-retry-slowest',
    ]),
    beside(
      'Time to connect, up to 14 Retries, longest',
      { op: 'max', measure: 'connectedS', unit: 's' },
      'repick',
      14,
      ['open-longest'],
    ),
    beside(
      'Connected without a Retry',
      { op: 'ratio', measure: 'connectedWithoutRetry', of: 'rows', unit: 'of the trials' },
      'repick',
      6,
      [],
    ),
    beside(
      'Time to connect without a Retry, mean',
      { op: 'mean', measure: 'connectedWithoutRetryS', unit: 's' },
      'repick',
      6,
      ['desktop-retry-none'],
    ),
    beside('Not connected after 6 Retries, old agent', stuckShare, 'master', 6, [
      'desktop-retry-master',
      'android-retry-master',
    ]),
    beside('Not connected after 6 Retries, new agent', stuckShare, 'repick', 6, [
      'android-retry-failing',
      'open-failing',
    ]),
    beside(
      'Connected within 6 Retries, new agent',
      { op: 'ratio', measure: 'connected', of: 'rows', unit: 'of the trials' },
      'repick',
      6,
      ['desktop-retry-connected'],
    ),
    beside(
      'Re-picks of the failed proxy',
      { op: 'ratio', measure: 'repicksOfFailed', of: 'repicks', unit: 'of the re-picks' },
      'repick',
      6,
      ['android-repick-same', 'desktop-repick-half'],
    ),
    beside(
      'From the report that begins the streak to the one that forgets P1, mean',
      { op: 'mean', measure: 'streakLengthS', unit: 's' },
      'repick',
      6,
      ['recording-retry-gap', 'open-report-gap'],
    ),
  ],
  published: published(
    ...RETRIES,
    ...ANDROID_RETRIES,
    'desktop-retry-cap',
    'android-retry-cap',
    'android-retry-14',
    'android-retry-14-cap',
    'desktop-retry-fastest',
    'desktop-retry-slowest',
    'desktop-retry-none',
    'desktop-retry-master',
    'android-retry-master',
    'android-retry-failing',
    'open-failing',
    'desktop-retry-connected',
    'open-retries-desktop',
    'open-retries-android',
    'open-longest',
    'android-repick-same',
    'desktop-repick-half',
    'recording-retry-gap',
    'open-report-gap',
  ),
  warp: warpUpTo(8, 'retry'),
  shortestTimeout: '1s',
};
