/** Messages both ways before and after a restart of the agent, and what of choice and streak outlives it. */

import type { MeasurePredicate, ScenarioSpec, TrialContext } from '../../harness/index.ts';
import { askNode } from '../../harness/index.ts';
import { bedOverrides, variantParameter } from './bed.ts';
import {
  choiceMeasureSpecs,
  firstPickWasP1,
  guardsWithoutFault,
  messageMeasureSpecs,
  noLoss,
  ofTheNew,
} from './checks.ts';
import { failedJoin } from './clearing.ts';
import { APP, registerTrialMeasure } from './events.ts';
import { BOTH } from './points.ts';
import { FIRST_PICK_P1 } from './seeds.ts';
import { begin, CONTACT, establishedStep, send } from './steps.ts';

const EACH_WAY = 5;

const bothSend = async (trial: TrialContext): Promise<void> => {
  await Promise.all([send(trial, 1, EACH_WAY), send(trial, 1, EACH_WAY, CONTACT)]);
};

/** Says how many choices the agent remembers now, and how many of them have a streak. */
const readChoices = (when: string) => ({
  name: `what the agent remembers ${when}`,
  run: async (trial: TrialContext) => {
    const { choices } = await askNode<{
      readonly choices: Readonly<Record<string, { readonly streakSinceMs: number | null }>>;
    }>(trial, APP, 'GET', '/state');
    const remembered = Object.values(choices);
    const streaks = remembered.filter(({ streakSinceMs }) => streakSinceMs !== null).length;
    trial.emit('choices.read', { when, count: remembered.length, streaks });
  },
});

export const rememberedMeasures: MeasurePredicate = (_trial, events) => {
  const read = (when: string, field: 'count' | 'streaks'): number | null => {
    const event = events.find((one) => one.event === 'choices.read' && one.fields['when'] === when);
    // Records from before streaks were read say nothing of them.
    const value = event?.fields[field];
    return typeof value === 'number' ? value : null;
  };
  return {
    rememberedBefore: read('before', 'count'),
    rememberedAfter: read('after', 'count'),
    streaksBefore: read('before', 'streaks'),
    streaksAfter: read('after', 'streaks'),
  };
};

registerTrialMeasure('smp.remembered', rememberedMeasures);

export const agentRestart: ScenarioSpec = {
  name: 'agent-restart',
  description:
    'Messages both ways, a failure that begins a streak, the agent is restarted, messages both ways again: none is lost, none comes twice; choice and streak live in memory only.',
  topology: 'smp-two-proxies',
  parameters: { variant: variantParameter },
  overrides: bedOverrides,
  grids: { quick: { description: 'before and after', axes: { variant: BOTH } } },
  defaultGrid: 'quick',
  trials: 3,
  bed: 'reuse',
  seedWhere: FIRST_PICK_P1,
  phases: [
    begin,
    { name: 'warm-up', steps: [establishedStep(1)] },
    {
      name: 'fault',
      steps: [
        { name: 'messages both ways', run: bothSend },
        {
          name: 'until they have arrived',
          until: { predicate: 'smp.all-arrived', parameters: { count: 2 * EACH_WAY } },
          within: '60s',
        },
        {
          name: 'a forward fails at P1',
          takes: () => '1s',
          run: async (trial) => void (await failedJoin(trial)),
        },
        readChoices('before'),
        { name: 'the agent is restarted', admin: { on: APP, method: 'POST', path: '/restart', body: {} } },
        readChoices('after'),
      ],
    },
    {
      name: 'recovery',
      steps: [
        { name: 'messages both ways again', run: bothSend },
        {
          name: 'until they have arrived',
          until: { predicate: 'smp.all-arrived', parameters: { count: 4 * EACH_WAY } },
          within: '2m',
          orElse: 'continue',
        },
      ],
    },
  ],
  measure: ['smp.choice', 'smp.messages', 'smp.remembered'],
  measures: [
    { name: 'rememberedBefore', title: 'Choices remembered before the restart', unit: 'choices' },
    { name: 'rememberedAfter', title: 'Choices remembered after it', unit: 'choices' },
    { name: 'streaksBefore', title: 'Streaks under way before the restart', unit: 'streaks' },
    { name: 'streaksAfter', title: 'Streaks under way after it', unit: 'streaks' },
    ...messageMeasureSpecs,
    ...choiceMeasureSpecs,
  ],
  checks: [
    {
      check: 'measure-bound',
      title: 'every message arrives',
      kind: 'invariant',
      parameters: { measure: 'delivered', op: '=', value: 4 * EACH_WAY },
      reason: 'Connections outlive a restart.',
    },
    {
      check: 'measure-bound',
      title: 'the choice does not outlive a restart',
      kind: 'invariant',
      parameters: { measure: 'rememberedAfter', op: '=', value: 0 },
      reason: 'As the real agent’s, it is kept in memory only; so the old agent is cured by a restart.',
    },
    {
      check: 'measure-bound',
      title: 'the streak does not outlive a restart',
      kind: 'invariant',
      parameters: { measure: 'streaksAfter', op: '=', value: 0 },
      reason: 'It is kept beside the choice and goes with it.',
    },
    {
      check: 'measure-bound',
      title: 'there was a choice to outlive it',
      kind: 'guard',
      parameters: { measure: 'rememberedBefore', op: '>=', value: 1 },
      reason: 'What was not remembered before proves nothing by being gone.',
    },
    {
      check: 'measure-bound',
      title: 'and a streak',
      kind: 'guard',
      parameters: { measure: 'streaksBefore', op: '>=', value: 1 },
      where: ofTheNew,
      reason: 'One failure began it; the old agent counts none.',
    },
    ...noLoss,
    firstPickWasP1,
    ...guardsWithoutFault,
  ],
  shortestTimeout: '1s',
};
