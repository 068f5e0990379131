/** Two requests and one slow connection to P1: the one that only waits for it gives up first, and that says nothing of P1. */

import type { ScenarioSpec } from '../../harness/index.ts';
import { askNode } from '../../harness/index.ts';
import { bedOverrides, SMP_PORT, variantParameter } from './bed.ts';
import { choiceMeasureSpecs, choiceStays, firstPickWasP1, guards, warpUpTo } from './checks.ts';
import { APP } from './events.ts';
import { FIRST_PICK_P1 } from './seeds.ts';
import { begin, CONTACT, makeLink } from './steps.ts';

export const waiter: ScenarioSpec = {
  name: 'waiter',
  description:
    'A connection to P1 takes 20 s. The request that makes it waits for 45 s, another that needs it for 15 s: the second gives up, the first succeeds, and the choice stays.',
  topology: 'smp-home-apart',
  parameters: { variant: variantParameter },
  overrides: bedOverrides,
  grids: { quick: { description: 'the new agent', axes: { variant: ['repick'] } } },
  defaultGrid: 'quick',
  trials: 3,
  bed: 'reuse',
  seedWhere: FIRST_PICK_P1,
  phases: [
    begin,
    {
      name: 'fault',
      steps: [
        {
          name: 'each flight between the agent and P1 takes 5 s',
          fault: {
            kind: 'slow',
            id: 'slow',
            from: APP,
            to: 'proxy-1',
            ports: [SMP_PORT],
            latencyMs: '5s',
          },
          background: true,
        },
        {
          name: 'a background join connects, and an interactive one waits for it',
          takes: () => '2s',
          run: async (trial) => {
            const [first, second] = [await makeLink(trial, CONTACT), await makeLink(trial, CONTACT)];
            await askNode(trial, APP, 'POST', '/join', { link: first.link, interactive: false });
            // The first one's own queue is made at home, which takes a moment.
            await trial.wait('2s');
            await askNode(trial, APP, 'POST', '/join', { link: second.link, interactive: true });
          },
        },
        {
          name: 'until the one that waited has given up',
          until: { event: 'join.failed', on: APP },
          within: '40s',
          orElse: 'fail',
        },
      ],
    },
    {
      name: 'recovery',
      steps: [
        {
          name: 'until the first is connected',
          until: { event: 'connection.established', on: APP },
          within: '3m',
          orElse: 'fail',
        },
      ],
    },
  ],
  measure: ['smp.choice'],
  measures: choiceMeasureSpecs,
  checks: [choiceStays(), firstPickWasP1, ...guards],
  kills: [
    {
      mutant: 'repick-without-ignore-waiter-timeout',
      point: { variant: 'repick' },
      trials: 2,
      reason: 'The wait of the second request counts as a failed connection, so that P1 is forgotten.',
    },
  ],
  warp: warpUpTo(4, 'waiter'),
  shortestTimeout: '1s',
};
