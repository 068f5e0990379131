/** When a streak ends: what clears it, how old it has to be, and that it does not end by itself. */

import type { ScenarioSpec, TrialContext } from '../../harness/index.ts';
import { askNode } from '../../harness/index.ts';
import { bedOverrides, variantParameter } from './bed.ts';
import {
  choiceMeasureSpecs,
  choiceStays,
  firstPickWasP1,
  guardsWithoutFault,
  ofTheNew,
  warpUpTo,
} from './checks.ts';
import { APP } from './events.ts';
import { published } from './published.ts';
import { type ScriptedAnswer, script, TIMEOUT } from './script.ts';
import { FIRST_PICK_P1 } from './seeds.ts';
import { begin, CONTACT, establishedStep, join, makeLink, send } from './steps.ts';

const CLEARED_BY = ['success', 'relay-error', 'protocol-error'];
const FAILS: ScriptedAnswer = { command: 'PFWD', error: TIMEOUT };

/**
 * A leap makes a ping and the end of its wait due at once, before a server could answer, so that a connection would be given up
 * which in hours of real quiet is kept alive. No connection of these rows is looked at.
 */
export const UNWATCHED = { pingIntervalMs: 86_400_000 } as const;

const shared = {
  topology: 'smp-two-proxies',
  overrides: (point: Parameters<typeof bedOverrides>[0]) => ({
    ...bedOverrides(point),
    counts: { contact: 2 },
    settings: { app: { retries: 0, ...UNWATCHED } },
  }),
  trials: 3,
  bed: 'reuse',
  seedWhere: FIRST_PICK_P1,
  measure: ['smp.choice'],
  timeBudget: '6m',
  shortestTimeout: '1s',
} as const;

/** The app's join of a new link fails at P1 at once; what it goes on with is its user's affair. */
export async function failedJoin(trial: TrialContext): Promise<string> {
  await script(trial, 'proxy-1', [FAILS]);
  const connection = await join(trial, { holder: CONTACT, joiner: APP, interactive: true });
  await trial.until({ event: 'join.failed', on: APP, where: { connection } }, '30s');
  return connection;
}

/** Its user taps Retry once, and it fails again. */
export async function failedRetry(trial: TrialContext, connection: string): Promise<void> {
  await script(trial, 'proxy-1', [FAILS]);
  await askNode(trial, APP, 'POST', '/retry', { connection });
  await trial.until({ event: 'join.failed', on: APP, where: { connection, attempt: { '>=': 2 } } }, '30s');
}

/** An answer that shows that the forward reached the relay. */
async function clear(trial: TrialContext): Promise<void> {
  const by = String(trial.point['by']);
  if (by === 'success') {
    await send(trial, 1);
    await trial.until({ event: 'forward.succeeded', on: APP }, '30s');
    return;
  }
  if (by === 'protocol-error') {
    await script(trial, 'proxy-1', [{ command: 'PFWD', error: 'PROXY PROTOCOL INTERNAL' }]);
    await send(trial, 1);
    await trial.until({ event: 'send.failed', on: APP }, '30s');
    return;
  }
  // A link of one use that somebody has used: R refuses the second sender, inside the response.
  const { link } = await makeLink(trial, CONTACT);
  await askNode(trial, 'contact-2', 'POST', '/join', { link, interactive: true });
  await trial.until({ event: 'connection.established', on: 'contact-2' }, '60s');
  const { connection } = await askNode<{ readonly connection: string }>(trial, APP, 'POST', '/join', {
    link,
    interactive: true,
  });
  await trial.until({ event: 'join.failed', on: APP, where: { connection } }, '30s');
}

export const clearing: ScenarioSpec = {
  ...shared,
  name: 'clearing',
  description:
    'One failure, then an answer that reached the relay, then another failure 31 s after the first: the answer has ended the streak, and the choice stays.',
  parameters: {
    variant: variantParameter,
    by: {
      type: 'choice',
      description: 'what shows that a forward reached the relay',
      default: 'success',
      choices: CLEARED_BY,
    },
  },
  grids: {
    quick: { description: 'each with the new agent', axes: { by: CLEARED_BY, variant: ['repick'] } },
  },
  defaultGrid: 'quick',
  phases: [
    begin,
    { name: 'warm-up', steps: [establishedStep(1)] },
    {
      name: 'settle',
      steps: [
        {
          name: 'two failures 31 s apart, and what ends the streak between them',
          takes: () => '33s',
          run: async (trial) => {
            const connection = await failedJoin(trial);
            await trial.wait('10s');
            await clear(trial);
            await trial.wait('21s');
            await failedRetry(trial, connection);
          },
        },
      ],
    },
  ],
  measures: [
    ...choiceMeasureSpecs,
    { name: 'streaksStarted', title: 'Streaks started', unit: 'streaks' },
    { name: 'streaksCleared', title: 'Streaks cleared', unit: 'streaks' },
  ],
  checks: [
    choiceStays(ofTheNew),
    {
      check: 'measure-bound',
      title: 'the count begins anew',
      kind: 'invariant',
      parameters: { measure: 'streaksStarted', op: '>=', value: 2 },
      where: ofTheNew,
      reason: 'Any clearing event between two failures restarts the count.',
    },
    firstPickWasP1,
    ...guardsWithoutFault,
  ],
  kills: CLEARED_BY.map((by) => ({
    mutant: `repick-without-clear-on-${by}`,
    point: { variant: 'repick', by },
    trials: 2,
    reason: 'The streak goes on, so that the second failure finds it older than 30 s.',
  })),
  warp: warpUpTo(4, 'clearing'),
};

export const boundary: ScenarioSpec = {
  ...shared,
  name: 'boundary',
  description:
    'Two failures and nothing between them: just under 30 s apart the choice stays, at 30 s it is forgotten.',
  parameters: {
    variant: variantParameter,
    gap: { type: 'duration', description: 'from the first failure to the second', default: '30s' },
  },
  grids: {
    quick: {
      description: 'either side of 30 s',
      axes: { gap: ['10s', '29s', '30s', '35s'], variant: ['repick'] },
    },
  },
  defaultGrid: 'quick',
  phases: [
    begin,
    { name: 'warm-up', steps: [establishedStep(1)] },
    {
      name: 'settle',
      steps: [
        {
          name: 'two failures',
          takes: ({ gap }) => `${Number(gap)}ms`,
          run: async (trial) => {
            const connection = await failedJoin(trial);
            await trial.wait(`${Number(trial.point['gap'])}ms`);
            await failedRetry(trial, connection);
          },
        },
      ],
    },
  ],
  measures: choiceMeasureSpecs,
  checks: [
    { ...choiceStays({ ...ofTheNew, gap: ['10s', '29s'] }), title: 'under 30 s the choice stays' },
    {
      check: 'measure-bound',
      title: 'from 30 s on it is forgotten',
      kind: 'invariant',
      parameters: { measure: 'streaksForgotten', op: '=', value: 1 },
      where: { ...ofTheNew, gap: ['30s', '35s'] },
      reason: 'A failure at least proxyFailureInterval after the start of the streak forgets the proxy.',
    },
    firstPickWasP1,
    ...guardsWithoutFault,
  ],
  aggregates: [
    {
      title: 'Smallest gap at which the proxy is forgotten',
      op: 'onset',
      measure: 'streaksForgotten',
      along: 'gap',
      where: { variant: 'repick' },
      unit: 'ms',
      published: ['proxy-failure-interval'],
    },
  ],
  published: published('proxy-failure-interval'),
  warp: warpUpTo(4, 'boundary'),
};

/** Hours pass on the agent's own clock; nothing reaches the relay meanwhile. */
export const rareSends: ScenarioSpec = {
  ...shared,
  name: 'rare-sends',
  description:
    'One report of the proxy, hours of quiet on the agent’s clock, another report: it forgets the proxy, unless streaks expire.',
  parameters: {
    variant: { ...variantParameter, default: 'repick' },
    quiet: { type: 'duration', description: 'between the two', default: '3h' },
  },
  grids: {
    quick: {
      description: 'with and without expiry',
      axes: { variant: ['master', 'repick', 'repick-expiry'] },
    },
  },
  defaultGrid: 'quick',
  phases: [
    begin,
    { name: 'warm-up', steps: [establishedStep(1)] },
    {
      name: 'settle',
      steps: [
        {
          name: 'two failures, hours apart',
          takes: () => '5s',
          run: async (trial) => {
            const connection = await failedJoin(trial);
            await askNode(trial, APP, 'POST', '/clock', { leapMs: Number(trial.point['quiet']) });
            await failedRetry(trial, connection);
          },
        },
      ],
    },
  ],
  measures: choiceMeasureSpecs,
  checks: [
    {
      check: 'measure-bound',
      title: 'hours later one more report forgets the proxy',
      kind: 'invariant',
      parameters: { measure: 'streaksForgotten', op: '=', value: 1 },
      where: { variant: 'repick' },
      reason: 'The streak does not expire: the document names it as an open question.',
    },
    {
      ...choiceStays({ variant: ['master', 'repick-expiry'] }),
      title: 'with expiry, or without the fix, it does not',
      reason: 'After the quiet time the next failure begins a new streak; the old agent counts none.',
    },
    firstPickWasP1,
    ...guardsWithoutFault,
  ],
};
