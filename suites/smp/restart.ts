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
} from './checks.ts';
import { APP, registerTrialMeasure } from './events.ts';
import { BOTH } from './points.ts';
import { FIRST_PICK_P1 } from './seeds.ts';
import { begin, CONTACT, establishedStep, send } from './steps.ts';

const EACH_WAY = 5;

const bothSend = async (trial: TrialContext): Promise<void> => {
  await Promise.all([send(trial, 1, EACH_WAY), send(trial, 1, EACH_WAY, CONTACT)]);
};

/** Says how many choices the agent remembers now. */
const readChoices = (when: string) => ({
  name: `what the agent remembers ${when}`,
  run: async (trial: TrialContext) => {
    const { choices } = await askNode<{ readonly choices: Readonly<Record<string, unknown>> }>(
      trial,
      APP,
      'GET',
      '/state',
    );
    trial.emit('choices.read', { when, count: Object.keys(choices).length });
  },
});

export const rememberedMeasures: MeasurePredicate = (_trial, events) => {
  const read = (when: string): number | null => {
    const count = events.find(({ event, fields }) => event === 'choices.read' && fields['when'] === when)
      ?.fields['count'];
    return typeof count === 'number' ? count : null;
  };
  return { rememberedBefore: read('before'), rememberedAfter: read('after') };
};

registerTrialMeasure('smp.remembered', rememberedMeasures);

export const agentRestart: ScenarioSpec = {
  name: 'agent-restart',
  description:
    'Messages both ways, the agent is restarted, messages both ways again: none is lost, none comes twice; choice and streak live in memory only.',
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
    ...noLoss,
    firstPickWasP1,
    ...guardsWithoutFault,
  ],
  shortestTimeout: '1s',
};
