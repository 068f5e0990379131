/** R itself is down and comes back, or stumbles: which hop is blamed, and that the choice stays where it can. */
import type { ScenarioSpec } from '../../harness/index.ts';
import { bedOverrides, blackHole, SMP_PORT, variantParameter } from './bed.ts';
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
import { begin, establishedStep, prepareConnection, preparedCount, send, untilArrived } from './steps.ts';

const shared = {
  topology: 'smp-two-proxies',
  overrides: bedOverrides,
  bed: 'reuse',
  seedWhere: FIRST_PICK_P1,
  shortestTimeout: '1s',
} as const;

/** One message on each of the connections, at one instant. */
const sendOnEach = {
  name: 'a message on each connection',
  run: async (trial: Parameters<typeof send>[0]) => {
    const turns = Array.from({ length: preparedCount(trial) }, (_, index) => index + 1);
    await Promise.all(turns.map((turn) => send(trial, turn)));
  },
};

const allArrive = {
  check: 'measure-bound',
  title: 'every message arrives',
  kind: 'invariant',
  parameters: { measure: 'undelivered', op: '=', value: 0 },
  reason: 'The way to R is whole again, and each message is tried until it is there.',
} as const;

/** R takes no connection and has ended those that it had; both proxies see it so. */
export const relayDown: ScenarioSpec = {
  ...shared,
  name: 'relay-down',
  description:
    'R is down for a while, as both proxies see it, and comes back: R is blamed and not a proxy, and messages arrive within 30 s and the sender’s next retry.',
  parameters: {
    variant: variantParameter,
    outage: { type: 'duration', description: 'how long R is down', default: '60s' },
  },
  grids: {
    quick: { description: 'before and after', axes: { variant: BOTH } },
    lengths: {
      description: 'either side of the proxies’ 30 s, before and after',
      axes: { outage: ['10s', '25s', '35s', '60s', '3m'], variant: BOTH },
    },
  },
  defaultGrid: 'quick',
  trials: 10,
  phases: [
    begin,
    { name: 'warm-up', steps: [establishedStep(1)] },
    {
      name: 'fault',
      steps: [
        {
          name: 'R is down',
          fault: {
            kind: 'refuse',
            id: 'cut',
            from: 'proxy',
            to: 'relay-1',
            ports: [SMP_PORT],
            for: '${outage}',
          },
          background: true,
        },
        { name: 'the proxies notice', wait: '2s' },
        { name: 'a message is sent', run: (trial) => send(trial, 1) },
        { name: 'R is still down', wait: '${outage}' },
      ],
    },
    { name: 'recovery', steps: [untilArrived(1, '4m')] },
  ],
  measure: ['smp.choice', 'smp.messages', 'smp.healing', 'smp.retry-gap', 'smp.relay'],
  measures: [
    { name: 'recoveredS', title: 'From R’s return to the arrival', unit: 's' },
    { name: 'retryGapS', title: 'The sender’s pause before the attempt that succeeded', unit: 's' },
    { name: 'recoveryExcessS', title: 'Beyond 30 s and that pause', unit: 's' },
    { name: 'relayFailuresCached', title: 'Errors that P1 gave from its cache', unit: 'errors' },
    ...choiceMeasureSpecs,
  ],
  plots: [{ title: 'Not yet arrived', kind: 'survival', y: 'recoveredS', series: 'variant' }],
  checks: [
    allArrive,
    {
      check: 'measure-bound',
      title: 'recovery takes at most 30 s and the sender’s next retry',
      kind: 'invariant',
      parameters: { measure: 'recoveryExcessS', op: '<=', value: 2 },
      reason:
        'A proxy gives a failed connection’s error for 30 s; then the next attempt connects, in well under 2 s.',
    },
    {
      check: 'measure-bound',
      title: 'no proxy is blamed',
      kind: 'invariant',
      parameters: { measure: 'failedAtProxy', op: '=', value: 0 },
      reason:
        'Only R is down: blaming the proxy would send its user to the wrong server (incident 48). That the way from P1 to R and R itself are one hop to the agent is all that it can know; `offline` and `unreachable` have the contrast.',
    },
    {
      check: 'measure-bound',
      title: 'nor the way to it',
      kind: 'invariant',
      parameters: { measure: 'failedAtClient', op: '=', value: 0 },
      reason: 'The proxy answers each attempt within its 30 s, and the agent waits for 60 s.',
    },
    {
      check: 'measure-bound',
      title: 'R is blamed',
      kind: 'invariant',
      parameters: { measure: 'failedAtRelay', op: '>=', value: 1 },
      reason: 'The attempts of the outage failed at the hop to R.',
    },
    ...noLoss,
    firstPickWasP1,
    ...guards,
  ],
  warp: warpUpTo(8, 'relay-down'),
};

/** Forwards in flight fail together, or one alone does: no reason to show the destination to another proxy. */
export const stumble: ScenarioSpec = {
  ...shared,
  name: 'stumble',
  description:
    'For 31 s nothing passes between P1 and R, so that forwards in flight time out together, one or many; then all is well. The choice does not move.',
  parameters: {
    variant: variantParameter,
    inFlight: {
      type: 'integer',
      description: 'messages in flight at once',
      default: 8,
      minimum: 1,
      maximum: 24,
    },
  },
  grids: {
    quick: {
      description: 'a single timeout and a burst, before and after',
      axes: { inFlight: [1, 8], variant: BOTH },
    },
  },
  defaultGrid: 'quick',
  trials: 10,
  phases: [
    begin,
    {
      name: 'warm-up',
      steps: [
        {
          name: 'connections stand',
          takes: ({ inFlight }) => `${Number(inFlight)}s`,
          run: async (trial) => {
            const count = Number(trial.point['inFlight']);
            for (let turn = 1; turn <= count; turn += 1) await prepareConnection(trial, turn);
          },
        },
      ],
    },
    {
      name: 'fault',
      steps: [
        {
          name: 'P1 to R is black-holed, living connections too',
          fault: { ...blackHole(), for: '31s' },
          background: true,
        },
        sendOnEach,
        { name: 'their time runs out', wait: '31s' },
      ],
    },
    { name: 'recovery', steps: [untilArrived('${inFlight}', '3m')] },
  ],
  measure: ['smp.choice', 'smp.messages'],
  measures: [
    ...choiceMeasureSpecs,
    { name: 'streaksStarted', title: 'Streaks started', unit: 'streaks' },
    { name: 'streaksKept', title: 'Further failures of a streak', unit: 'failures' },
    { name: 'streaksCleared', title: 'Streaks cleared', unit: 'streaks' },
    ...messageMeasureSpecs,
  ],
  checks: [
    choiceStays(),
    allArrive,
    {
      check: 'measure-bound',
      title: 'the forwards did fail',
      kind: 'guard',
      parameters: { measure: 'failedAtRelay', op: '>=', value: 1 },
      reason: 'A trial in which nothing failed says nothing about failures.',
    },
    ...noLoss,
    firstPickWasP1,
    ...guards,
  ],
  warp: warpUpTo(8, 'stumble'),
};

/** R restarts while forwards are in flight: its connections end, and it is back within a second. */
export const relayRestart: ScenarioSpec = {
  ...shared,
  name: 'relay-restart',
  description:
    'R ends its connections and takes new ones a second later, with messages in flight: the choice does not move.',
  parameters: { variant: variantParameter },
  grids: { quick: { description: 'before and after', axes: { variant: BOTH } } },
  defaultGrid: 'quick',
  trials: 10,
  phases: [
    begin,
    { name: 'warm-up', steps: [establishedStep(8)] },
    {
      name: 'fault',
      steps: [
        {
          name: 'forwards are slow, so that they are in flight',
          fault: {
            kind: 'slow',
            id: 'slow',
            from: 'proxy-1',
            to: 'relay-1',
            ports: [SMP_PORT],
            latencyMs: '6s',
            stream: 'upstream',
            for: '15s',
          },
          background: true,
        },
        sendOnEach,
        {
          name: 'R ends its connections',
          fault: {
            kind: 'refuse',
            id: 'cut',
            from: 'proxy',
            to: 'relay-1',
            ports: [SMP_PORT],
            for: '1s',
            // That connections ended is seen by the agent's failures.
            mustShow: {},
          },
        },
      ],
    },
    { name: 'recovery', steps: [untilArrived(8, '3m')] },
  ],
  measure: ['smp.choice', 'smp.messages'],
  measures: [...choiceMeasureSpecs, ...messageMeasureSpecs],
  checks: [
    choiceStays(),
    allArrive,
    {
      check: 'measure-bound',
      title: 'forwards in flight did fail',
      kind: 'guard',
      parameters: { measure: 'failedAtRelay', op: '>=', value: 2 },
      reason: 'A burst of errors is what the row is about.',
    },
    ...noLoss,
    firstPickWasP1,
    ...guards,
  ],
};
