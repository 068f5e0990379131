/** The document's open questions, each answered by an option of the agent, measured beside the fix without it. */

import type { AggregateSpec, ScenarioSpec } from '../../harness/index.ts';
import { askNode } from '../../harness/index.ts';
import { bedOverrides, holeStep, variantParameter } from './bed.ts';
import {
  choiceMeasureSpecs,
  connectMeasureSpecs,
  firstPickWasP1,
  guards,
  retryMeasureSpecs,
  warpUpTo,
} from './checks.ts';
import { failedJoin, failedRetry, UNWATCHED } from './clearing.ts';
import { APP } from './events.ts';
import { published } from './published.ts';
import { FIRST_PICK_P1 } from './seeds.ts';
import { appJoins, begin, contactJoins, establishedStep, untilConnected } from './steps.ts';

const QUESTIONS = ['background', 'retry', 'rare-sends'];
const CAP = 14;

/** Each question at the variants that differ in it. */
const POINTS = [
  ...['repick', 'repick-exclude'].map((variant) => ({ question: 'background', variant })),
  ...['repick', 'repick-exclude', 'repick-client-timeouts'].map((variant) => ({
    question: 'retry',
    variant,
  })),
  ...['repick', 'repick-expiry'].map((variant) => ({ question: 'rare-sends', variant })),
];

export const openQuestions: ScenarioSpec = {
  name: 'open-questions',
  onlyWhenNamed: true,
  description:
    'What leaving the failed proxy out, counting the client’s own timeouts, and letting streaks expire would each buy, and cost.',
  topology: 'smp-two-proxies',
  parameters: {
    variant: variantParameter,
    question: {
      type: 'choice',
      description: 'which course is measured',
      default: 'background',
      choices: QUESTIONS,
    },
    watch: { type: 'duration', description: 'how long it is watched', default: '15m' },
  },
  overrides: (point) => ({
    ...bedOverrides(point),
    settings: {
      app: {
        retries: point['question'] === 'retry' ? CAP : 0,
        retryOnErrorMs: 1_000,
        ...(point['question'] === 'rare-sends' && UNWATCHED),
      },
    },
  }),
  grids: {
    options: { description: 'each option at the course that it is about', axes: {}, points: POINTS },
  },
  defaultGrid: 'options',
  trials: 20,
  bed: 'reuse',
  seedWhere: FIRST_PICK_P1,
  phases: [
    begin,
    { name: 'warm-up', steps: [{ ...establishedStep(1), when: { question: 'rare-sends' } }] },
    { name: 'fault', steps: [{ ...holeStep, when: { question: ['background', 'retry'] } }] },
    {
      name: 'recovery',
      steps: [
        { ...contactJoins, when: { question: 'background' } },
        { ...appJoins, when: { question: 'retry' } },
        { ...untilConnected('${watch}'), when: { question: 'background' } },
        {
          name: 'until the agent is connected, or its user has given up',
          when: { question: 'retry' },
          until: { predicate: 'smp.join-over', parameters: { cap: CAP } },
          within: '${watch}',
          orElse: 'continue',
        },
        {
          name: 'two reports of a proxy, three hours apart on the agent’s clock',
          when: { question: 'rare-sends' },
          takes: () => '5s',
          run: async (trial) => {
            const connection = await failedJoin(trial);
            await askNode(trial, APP, 'POST', '/clock', { leapMs: 3 * 3_600_000 });
            await failedRetry(trial, connection);
          },
        },
      ],
    },
  ],
  measure: ['smp.choice', 'smp.connect'],
  measures: [...connectMeasureSpecs, ...retryMeasureSpecs, ...choiceMeasureSpecs],
  plots: [
    { title: 'Not yet connected', kind: 'survival', y: 'connectedS', series: 'variant', facet: 'question' },
  ],
  checks: [
    {
      check: 'measure-bound',
      title: 'with the failed proxy left out, one streak is enough',
      kind: 'invariant',
      parameters: { measure: 'streaksForgotten', op: '=', value: 1 },
      where: { variant: 'repick-exclude', question: ['background', 'retry'] },
      reason: 'With two proxies the next pick can only be the good one.',
    },
    {
      check: 'measure-bound',
      title: 'with expiry, a report hours later forgets nothing',
      kind: 'invariant',
      parameters: { measure: 'forgotten', op: '=', value: 0 },
      where: { variant: 'repick-expiry', question: 'rare-sends' },
      reason: 'The streak ended in the quiet time.',
    },
    {
      check: 'measure-bound',
      title: 'without it, it does',
      kind: 'invariant',
      parameters: { measure: 'streaksForgotten', op: '=', value: 1 },
      where: { variant: 'repick', question: 'rare-sends' },
      reason: 'The streak does not expire.',
    },
    firstPickWasP1,
    ...guards,
  ],
  comparisons: [
    {
      title: 'Streaks until recovery, the failed proxy left out or not',
      parameter: 'variant',
      baseline: 'repick',
      candidate: 'repick-exclude',
      primary: {
        measure: 'streaksForgotten',
        better: 'lower',
        margin: 0,
        statistic: 'mean',
        reason: 'The document expects one streak in place of about two.',
      },
    },
    {
      title: 'Proxies forgotten for two reports hours apart, streaks that expire or not',
      parameter: 'variant',
      baseline: 'repick',
      candidate: 'repick-expiry',
      primary: {
        measure: 'streaksForgotten',
        better: 'lower',
        margin: 0,
        statistic: 'mean',
        reason: 'With expiry the second report begins a new streak, and forgets nothing.',
      },
    },
    {
      title: 'How long P1 is kept, the client’s own timeouts counted or not',
      parameter: 'variant',
      baseline: 'repick',
      candidate: 'repick-client-timeouts',
      // Retries follow what is drawn afterwards as well: their number needs far more trials to tell the two apart.
      primary: {
        measure: 'firstKeptS',
        better: 'lower',
        margin: 0,
        statistic: 'mean',
        reason: 'A choice that is forgotten for two timeouts of the client ought to be forgotten sooner.',
      },
      secondary: [
        {
          measure: 'retries',
          better: 'lower',
          margin: 0,
          statistic: 'mean',
          reason: 'What a user has of it.',
        },
      ],
    },
  ],
  aggregates: [
    ...(
      [
        ['repick', 'as in the fix', ['open-streaks']],
        ['repick-exclude', 'the failed proxy left out', ['open-streaks-excluded']],
      ] as const
    ).map(([variant, title, ids]) => ({
      title: `Streaks until recovery, ${title}, mean`,
      op: 'mean' as const,
      measure: 'streaksForgotten',
      where: { variant, question: 'background' },
      unit: 'streaks',
      published: [...ids],
    })),
    ...(
      [
        ['repick', 'as in the fix', ['open-retries-desktop', 'open-retries-android'], ['open-longest']],
        ['repick-exclude', 'the failed proxy left out', [], []],
        ['repick-client-timeouts', 'client timeouts counted', [], []],
      ] as const
    ).flatMap(([variant, title, retries, longest]): AggregateSpec[] => [
      {
        title: `Retries until connected, ${title}, mean`,
        op: 'mean',
        measure: 'retriesToConnect',
        where: { variant, question: 'retry' },
        unit: 'Retries',
        published: [...retries],
      },
      {
        title: `Time to connect with Retries, ${title}, mean`,
        op: 'mean',
        measure: 'connectedS',
        where: { variant, question: 'retry' },
        unit: 's',
      },
      {
        title: `Time to connect with Retries, ${title}, longest`,
        op: 'max',
        measure: 'connectedS',
        where: { variant, question: 'retry' },
        unit: 's',
        published: [...longest],
      },
      {
        title: `Distinct proxies of two that learnt of the destination, ${title}, mean`,
        op: 'mean',
        measure: 'exposedProxies',
        where: { variant, question: 'retry' },
        unit: 'proxies',
      },
    ]),
    ...(
      [
        ['repick', 'as in the fix'],
        ['repick-expiry', 'streaks that expire after five minutes'],
      ] as const
    ).map(
      ([variant, title]): AggregateSpec => ({
        title: `Proxies forgotten for two reports three hours apart, ${title}`,
        op: 'mean',
        measure: 'streaksForgotten',
        where: { variant, question: 'rare-sends' },
        unit: 'proxies',
      }),
    ),
  ],
  published: published(
    'open-streaks',
    'open-streaks-excluded',
    'open-retries-desktop',
    'open-retries-android',
    'open-longest',
  ),
  warp: warpUpTo(8, 'open-questions'),
  shortestTimeout: '1s',
};
