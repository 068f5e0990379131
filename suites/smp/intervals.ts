/** The agent's failure streak and the proxy's cached connection error are two things, both of 30 s: apart, each shows by itself. */
import type { CheckSpec, ScenarioSpec } from '../../harness/index.ts';
import { bedOverrides, SMP_PORT, variantParameter } from './bed.ts';
import {
  choiceMeasureSpecs,
  firstPickWasP1,
  guards,
  guardsWithoutFault,
  messageMeasureSpecs,
  noLoss,
  warpUpTo,
} from './checks.ts';
import { ERRORS_THROUGHOUT, script } from './script.ts';
import { picksAre } from './seeds.ts';
import { begin, establishedStep, send, untilArrived } from './steps.ts';

const AGENT_INTERVALS = ['10s', '60s'];
const PROXY_INTERVALS = ['10s', '60s'];

const intervalParameters = {
  variant: variantParameter,
  agentInterval: { type: 'duration', description: 'the agent’s proxyFailureInterval', default: '30s' },
  proxyInterval: {
    type: 'duration',
    description: 'how long a proxy caches a connection error',
    default: '30s',
  },
} as const;

const intervalOverrides: ScenarioSpec['overrides'] = (point) => ({
  ...bedOverrides(point),
  settings: {
    app: { proxyFailureIntervalMs: Number(point['agentInterval']) },
    proxy: { persistErrorIntervalMs: Number(point['proxyInterval']) },
  },
});

const grids = {
  quick: {
    description: 'each short and long',
    axes: { agentInterval: AGENT_INTERVALS, proxyInterval: PROXY_INTERVALS, variant: ['repick'] },
  },
} as const;

/** The measure lies where the interval that acts says, whatever the other one is. */
const between = (
  measure: string,
  by: 'agentInterval' | 'proxyInterval',
  atS: number,
  [from, to]: readonly [number, number],
  reason: string,
): CheckSpec[] =>
  (
    [
      ['>=', from],
      ['<=', to],
    ] as const
  ).map(([op, value]) => ({
    check: 'measure-bound',
    title: `${by} ${atS} s: ${measure} ${op} ${value} s`,
    kind: 'invariant',
    parameters: { measure, op, value },
    where: { [by]: `${atS}s` },
    reason,
  }));

export const agentInterval: ScenarioSpec = {
  name: 'agent-interval',
  description:
    'P1 answers errors at once: how long it stays the choice follows the agent’s interval, and not the proxy’s.',
  topology: 'smp-two-proxies',
  parameters: intervalParameters,
  overrides: intervalOverrides,
  grids,
  defaultGrid: 'quick',
  trials: 3,
  bed: 'reuse',
  seedWhere: picksAre('proxy-1', 'proxy-2'),
  phases: [
    begin,
    { name: 'warm-up', steps: [establishedStep(1)] },
    {
      name: 'recovery',
      steps: [
        {
          name: 'P1 answers errors, and a message is sent',
          run: async (trial) => {
            await script(trial, 'proxy-1', ERRORS_THROUGHOUT);
            await send(trial, 1);
          },
        },
        untilArrived(1, '4m'),
      ],
    },
  ],
  measure: ['smp.choice', 'smp.messages', 'smp.streak-length'],
  measures: [
    { name: 'streakLengthS', title: 'From the first failure to the one that forgets', unit: 's' },
    ...messageMeasureSpecs,
    ...choiceMeasureSpecs,
  ],
  checks: [
    ...between('streakLengthS', 'agentInterval', 10, [10, 25], 'A failure comes at least every 15 s.'),
    ...between('streakLengthS', 'agentInterval', 60, [60, 90], 'A failure comes at least every 30 s.'),
    ...noLoss,
    firstPickWasP1,
    ...guardsWithoutFault,
  ],
  warp: warpUpTo(8, 'agent-interval'),
  shortestTimeout: '1s',
};

export const proxyInterval: ScenarioSpec = {
  name: 'proxy-interval',
  description:
    'R refuses connections for 5 s, with one proxy to try: when that proxy connects again follows the proxy’s interval, and not the agent’s.',
  topology: 'smp-two-proxies',
  parameters: intervalParameters,
  overrides: (point) => ({
    ...(intervalOverrides as (p: typeof point) => object)(point),
    counts: { proxy: 1 },
  }),
  grids,
  defaultGrid: 'quick',
  trials: 10,
  bed: 'reuse',
  phases: [
    begin,
    { name: 'warm-up', steps: [establishedStep(1)] },
    {
      name: 'fault',
      steps: [
        {
          name: 'R refuses connections',
          fault: { kind: 'refuse', id: 'cut', from: 'proxy-1', to: 'relay-1', ports: [SMP_PORT], for: '5s' },
          background: true,
        },
        { name: 'the proxy notices', wait: '1s' },
        { name: 'a message is sent', run: (trial) => send(trial, 1) },
        { name: 'R is back', wait: '5s' },
      ],
    },
    { name: 'recovery', steps: [untilArrived(1, '4m')] },
  ],
  measure: ['smp.messages', 'smp.relay', 'smp.choice'],
  measures: [
    {
      name: 'relayReconnectedAfterHealS',
      title: 'From R’s return to the proxy’s next connection',
      unit: 's',
    },
    { name: 'relayFailuresCached', title: 'Errors from the cache', unit: 'errors' },
    ...messageMeasureSpecs,
    ...choiceMeasureSpecs,
  ],
  checks: [
    ...between(
      'relayReconnectedAfterHealS',
      'proxyInterval',
      10,
      [3, 25],
      'The error of the first second is the answer for 10 s; the next attempt after that connects.',
    ),
    ...between(
      'relayReconnectedAfterHealS',
      'proxyInterval',
      60,
      [50, 95],
      'The error is the answer for 60 s; the pauses between attempts have grown to 20 s by then.',
    ),
    ...noLoss,
    ...guards,
  ],
  warp: warpUpTo(8, 'proxy-interval'),
  shortestTimeout: '1s',
};
