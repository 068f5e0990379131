/** Answers that come just under and just over the agent's own waits, with proxies that wait longer. */
import type { CheckSpec, ScenarioSpec } from '../../harness/index.ts';
import { bedOverrides, SMP_PORT, variantParameter } from './bed.ts';
import {
  choiceMeasureSpecs,
  choiceStays,
  firstPickWasP1,
  guards,
  messageMeasureSpecs,
  noLoss,
  warpUpTo,
} from './checks.ts';
import { BOTH } from './points.ts';
import { FIRST_PICK_P1 } from './seeds.ts';
import { APP_JOINS, begin, establishedStep, join, send } from './steps.ts';

const WAITS = ['background', 'interactive'];
const SPEEDS = ['under', 'over'];

/** What each way takes: twice that is two seconds off the agent's 60 s and its user's 20 s. */
const EACH_WAY = [
  ['background', 'under', '29s'],
  ['background', 'over', '31s'],
  ['interactive', 'under', '9s'],
  ['interactive', 'over', '11s'],
] as const;

const clientGaveUp = (speed: string, op: string, value: number, reason: string): CheckSpec => ({
  check: 'measure-bound',
  title: `${speed} its wait the agent ${value === 0 ? 'gives nothing up' : 'gives up'}`,
  kind: 'invariant',
  parameters: { measure: 'failedAtClient', op, value },
  where: { speed },
  reason,
});

export const slowWait: ScenarioSpec = {
  name: 'slow-wait',
  description:
    'The way from P1 to R becomes so slow that answers take just under the agent’s own wait for a forward, or just over: 60 s in the background, 20 s while a user waits. The client’s own timeouts say nothing of the proxy: the choice stays.',
  topology: 'smp-two-proxies',
  parameters: {
    variant: variantParameter,
    wait: { type: 'choice', description: 'which wait of the agent', default: 'background', choices: WAITS },
    speed: { type: 'choice', description: 'on which side of it', default: 'under', choices: SPEEDS },
  },
  overrides: (point) => ({
    ...bedOverrides(point),
    // The proxy's own 30 s would be over first.
    settings: { proxy: { relayCommandTimeoutMs: 120_000 }, app: { retries: 0 } },
  }),
  grids: {
    quick: {
      description: 'either side of both, before and after',
      axes: { wait: WAITS, speed: SPEEDS, variant: BOTH },
    },
  },
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
        ...EACH_WAY.map(([wait, speed, latencyMs]) => ({
          name: `each way takes ${latencyMs}`,
          when: { wait, speed },
          fault: {
            kind: 'slow' as const,
            id: `cut-${wait}-${speed}`,
            from: 'proxy-1',
            to: 'relay-1',
            ports: [SMP_PORT],
            latencyMs,
            for: '150s',
          },
          background: true,
        })),
        {
          name: 'a message is sent',
          when: { wait: 'background' },
          run: (trial) => send(trial, 1),
        },
        {
          name: 'a user joins a link',
          when: { wait: 'interactive' },
          run: async (trial) => void (await join(trial, APP_JOINS)),
        },
        { name: 'attempts and their answers', wait: '130s' },
      ],
    },
    {
      name: 'recovery',
      steps: [
        {
          name: 'until the message has arrived',
          when: { wait: 'background' },
          until: { predicate: 'smp.all-arrived', parameters: { count: 1 } },
          within: '3m',
          orElse: 'continue',
        },
        { name: 'what is late has come', wait: '65s' },
      ],
    },
  ],
  measure: ['smp.choice', 'smp.messages', 'smp.alerts'],
  measures: [
    { name: 'connectionTimeouts', title: 'Alerts of the client’s own timeout', unit: 'alerts' },
    { name: 'streaksStarted', title: 'Streaks started', unit: 'streaks' },
    ...choiceMeasureSpecs,
    ...messageMeasureSpecs,
  ],
  checks: [
    clientGaveUp('under', '=', 0, 'The answer is there two seconds before the wait is over.'),
    clientGaveUp('over', '>=', 1, 'The answer comes two seconds after it.'),
    {
      check: 'measure-bound',
      title: 'its user is told of a connection timeout',
      kind: 'invariant',
      parameters: { measure: 'connectionTimeouts', op: '=', value: 1 },
      where: { wait: 'interactive', speed: 'over' },
      reason: 'As the document’s first alerts: by the client’s own wait, and not by the proxy’s word.',
    },
    choiceStays({ variant: BOTH }),
    {
      check: 'measure-bound',
      title: 'no streak begins',
      kind: 'invariant',
      parameters: { measure: 'streaksStarted', op: '=', value: 0 },
      where: { variant: BOTH },
      reason: 'Client-side timeouts neither start, advance nor clear the streak.',
    },
    {
      check: 'measure-bound',
      title: 'the message arrives',
      kind: 'invariant',
      parameters: { measure: 'delivered', op: '=', value: 1 },
      where: { wait: 'background' },
      reason: 'R has it after the first 31 s, whatever the agent knows of that.',
    },
    ...noLoss,
    firstPickWasP1,
    ...guards,
  ],
  warp: warpUpTo(4, 'slow-wait'),
  timeBudget: '8m',
  shortestTimeout: '1s',
};
