/** Fifty agents and five proxies on one bed, all of them talking: a load check. */

import type { ScenarioSpec, TrialContext } from '../../harness/index.ts';
import { askNode } from '../../harness/index.ts';
import { blackHole } from './bed.ts';
import { choiceMeasureSpecs, guards, messageMeasureSpecs, noLoss } from './checks.ts';
import { begin, makeLink, untilArrived } from './steps.ts';

const PAIRS_AT_ONCE = 5;
const ROUNDS = 10;
/** 2 × 25 pairs × 10 rounds × 2. */
const MESSAGES = 1_000;
/** One of each of the topology's proxies after each round. */
const READINGS = 5 * ROUNDS;

const pairsOf = (trial: TrialContext): { readonly app: string; readonly contact: string }[] =>
  trial.nodes('app').map(({ name }, index) => ({ app: name, contact: `contact-${index + 1}` }));

/** Does something for each pair, a few at a time. */
async function forPairs(
  trial: TrialContext,
  work: (pair: { readonly app: string; readonly contact: string }) => Promise<void>,
): Promise<void> {
  const left = pairsOf(trial);
  const worker = async (): Promise<void> => {
    for (let pair = left.shift(); pair; pair = left.shift()) await work(pair);
  };
  await Promise.all(Array.from({ length: PAIRS_AT_ONCE }, worker));
}

/** The connection of an agent that has one. */
async function connectionOf(trial: TrialContext, node: string): Promise<string> {
  const { connections } = await askNode<{ readonly connections: readonly { readonly id: string }[] }>(
    trial,
    node,
    'GET',
    '/state',
  );
  return connections[0]?.id ?? '';
}

async function readSlots(trial: TrialContext): Promise<void> {
  for (const { name } of trial.nodes('proxy')) {
    const { slotsInUse } = await askNode<{ readonly slotsInUse: number }>(trial, name, 'GET', '/state');
    trial.emit('slots.read', { proxy: name, inUse: slotsInUse });
  }
}

export const load: ScenarioSpec = {
  name: 'load',
  onlyWhenNamed: true,
  description:
    'Twenty-five pairs of agents send to one another through five proxies, with all proxies well or one of them black-holed.',
  topology: 'smp-50-agents',
  parameters: {
    variant: {
      type: 'choice',
      description: 'the old agent or the new one, on both sides',
      default: 'repick',
      choices: ['master', 'repick'],
    },
    bad: {
      type: 'integer',
      description: 'proxies whose way to the contacts’ relay is black-holed',
      default: 0,
      minimum: 0,
      maximum: 1,
    },
    rounds: { type: 'integer', description: 'times that each agent sends', default: ROUNDS, minimum: 1 },
    perRound: { type: 'integer', description: 'messages that each sends each time', default: 2, minimum: 1 },
    messages: {
      type: 'integer',
      description: 'all of them: 2 × 25 pairs × rounds × perRound',
      default: MESSAGES,
    },
  },
  overrides: ({ variant }) => ({ variant: { app: String(variant), contact: String(variant) } }),
  grids: {
    quick: { description: 'all proxies well', axes: { bad: [0] } },
    full: {
      description: 'and one black-holed, before and after',
      axes: { bad: [0, 1], variant: ['master', 'repick'] },
    },
  },
  defaultGrid: 'quick',
  trials: 1,
  bed: 'reuse',
  phases: [
    begin,
    {
      name: 'warm-up',
      steps: [
        {
          name: 'twenty-five pairs connect',
          takes: () => '20s',
          run: async (trial) => {
            await forPairs(trial, async ({ app, contact }) => {
              const { link } = await makeLink(trial, contact);
              await askNode(trial, app, 'POST', '/join', { link, interactive: false });
            });
            await trial.until({ event: 'connection.established', on: 'app', count: 'all' }, '2m');
          },
        },
      ],
    },
    {
      name: 'fault',
      steps: [
        {
          name: 'one proxy cannot forward',
          when: { bad: 1 },
          fault: { ...blackHole(), for: '90s' },
          background: true,
        },
        {
          name: 'everybody sends',
          takes: ({ rounds }) => `${Number(rounds) * 3}s`,
          run: async (trial) => {
            for (let round = 1; round <= Number(trial.point['rounds']); round += 1) {
              await forPairs(trial, async ({ app, contact }) => {
                for (const node of [app, contact]) {
                  const connection = await connectionOf(trial, node);
                  const count = Number(trial.point['perRound']);
                  await askNode(trial, node, 'POST', '/send', { connection, count });
                }
              });
              await readSlots(trial);
              await trial.wait('3s');
            }
          },
        },
      ],
    },
    { name: 'recovery', steps: [untilArrived('${messages}', '6m')] },
  ],
  measure: ['smp.messages', 'smp.slots', 'smp.choice'],
  measures: [
    ...messageMeasureSpecs,
    { name: 'slotsReadings', title: 'Readings of the slots, one a proxy after each round', unit: 'readings' },
    { name: 'slotsInUseMax', title: 'Forward slots in use, most of those readings', unit: 'slots' },
    ...choiceMeasureSpecs,
  ],
  checks: [
    {
      check: 'measure-bound',
      title: 'every message arrives',
      kind: 'invariant',
      parameters: { measure: 'undelivered', op: '=', value: 0 },
      reason: 'Nothing is broken for longer than the watch.',
    },
    {
      check: 'measure-bound',
      title: 'they were all sent',
      kind: 'guard',
      parameters: { measure: 'sent', op: '=', value: MESSAGES },
      where: { messages: MESSAGES },
      reason: 'A smaller load than was meant shows less than it says.',
    },
    {
      check: 'measure-bound',
      title: 'the slots were read',
      kind: 'guard',
      parameters: { measure: 'slotsReadings', op: '=', value: READINGS },
      where: { rounds: ROUNDS },
      reason: 'The most of fewer readings than were meant is less than it says.',
    },
    ...noLoss,
    ...guards,
  ],
  shortestTimeout: '1s',
  timeBudget: '15m',
};
