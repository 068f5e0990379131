/** The way from P1 to R comes and goes, and heals in two ways. */
import type { CheckSpec, ScenarioSpec, Step } from '../../harness/index.ts';
import { bedOverrides, blackHole, proxiesParameter, SMP_PORT, variantParameter } from './bed.ts';
import {
  choiceMeasureSpecs,
  firstPickWasP1,
  guards,
  messageMeasureSpecs,
  noLoss,
  warpUpTo,
} from './checks.ts';
import { BOTH } from './points.ts';
import { FIRST_PICK_P1 } from './seeds.ts';
import { begin, CONTACT, establishedStep, send, untilArrived } from './steps.ts';

const FLAPS = [1, 2, 3, 4, 5];
/** Each way, at the beginning of each cut and at its end. */
const MESSAGES = FLAPS.length * 4;

const bothSend: Step = {
  name: 'a message each way',
  run: async (trial) => {
    await Promise.all([send(trial, 1), send(trial, 1, 1, CONTACT)]);
  },
};

export const flap: ScenarioSpec = {
  name: 'flap',
  description:
    'The way from P1 to R is black-holed five times, each time for as long as it is whole between them, with messages both ways all the while: none is lost, none comes twice.',
  topology: 'smp-two-proxies',
  parameters: {
    variant: variantParameter,
    period: { type: 'duration', description: 'how long each cut lasts, and each pause', default: '25s' },
  },
  overrides: bedOverrides,
  grids: {
    quick: {
      description: 'either side of 30 s, before and after',
      axes: { period: ['25s', '35s'], variant: BOTH },
    },
  },
  defaultGrid: 'quick',
  trials: 10,
  bed: 'reuse',
  seedWhere: FIRST_PICK_P1,
  phases: [
    begin,
    { name: 'warm-up', steps: [establishedStep(1)] },
    {
      name: 'fault',
      steps: FLAPS.flatMap((turn): Step[] => [
        {
          name: `cut ${turn}`,
          fault: {
            ...blackHole(),
            id: `cut-${turn}`,
            for: '${period}',
            // The new agent may have left P1 by then, so that nothing is there to be lost.
            mustShow: {},
          },
          background: true,
        },
        bothSend,
        { name: `cut ${turn} lasts`, wait: '${period}' },
        bothSend,
        { name: `pause ${turn}`, wait: '${period}' },
      ]),
    },
    { name: 'recovery', steps: [untilArrived(MESSAGES, '4m')] },
  ],
  measure: ['smp.choice', 'smp.messages'],
  measures: [
    ...messageMeasureSpecs,
    { name: 'slowestS', title: 'Longest delay, or time on the way when the trial ended', unit: 's' },
    ...choiceMeasureSpecs,
  ],
  checks: [
    {
      check: 'measure-bound',
      title: 'every message arrives',
      kind: 'invariant',
      parameters: { measure: 'delivered', op: '=', value: MESSAGES },
      reason: 'The way is whole half of the time and for good at the end.',
    },
    ...noLoss,
    ...(
      [
        [
          '25s',
          40,
          'A forward of the first second is reported after 30 s, when the way is whole again; 2 s on the next one passes.',
        ],
        [
          '35s',
          75,
          'The report after 30 s comes 5 s before the cut ends, so that the next forward is lost too; its report after 62 s is the last.',
        ],
      ] as const
    ).map(
      ([period, withinS, reason]): CheckSpec => ({
        check: 'measure-bound',
        title: `with cuts of ${period} the slowest message takes at most ${withinS} s`,
        kind: 'invariant',
        parameters: { measure: 'slowestS', op: '<=', value: withinS },
        where: { period },
        reason,
      }),
    ),
    {
      check: 'measure-bound',
      title: 'a forward failed',
      kind: 'guard',
      parameters: { measure: 'failedForwards', op: '>=', value: 1 },
      reason: 'The first cut meets the agent at P1, so that something must have failed or been lost there.',
    },
    firstPickWasP1,
    ...guards,
  ],
  // At 8 the real work of a forward, times eight, would carry the second attempt of the 35 s row into the next cut.
  warp: warpUpTo(4, 'flap'),
  timeBudget: '12m',
  shortestTimeout: '2s',
};

const HEALINGS = ['toxic', 'hold'];

/** The same outage healed by taking the toxic away, which ends connections, and by letting go of held packets. */
export const healing: ScenarioSpec = {
  name: 'healing',
  description:
    'One proxy, and an outage of its way to R that ends in two ways: the toxic is removed, which closes the connections that lost something, or held packets are let go, which loses nothing.',
  topology: 'smp-two-proxies',
  parameters: {
    variant: variantParameter,
    proxies: { ...proxiesParameter, default: 1 },
    heal: { type: 'choice', description: 'how the way heals', default: 'toxic', choices: HEALINGS },
    outage: { type: 'duration', description: 'how long nothing passes', default: '100s' },
  },
  overrides: bedOverrides,
  grids: {
    quick: { description: 'both, before and after', axes: { heal: HEALINGS, variant: BOTH } },
    lengths: {
      description: 'under and over the timeouts',
      axes: { outage: ['20s', '45s', '100s'], heal: HEALINGS, variant: BOTH },
    },
  },
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
          name: 'a toxic loses everything between P1 and R',
          when: { heal: 'toxic' },
          fault: { ...blackHole(), id: 'cut-toxic', for: '${outage}' },
          background: true,
        },
        {
          name: 'packets from P1 to R are held',
          when: { heal: 'hold' },
          // Before they reach Toxiproxy. What comes back from there has its address, and need not be held.
          fault: {
            kind: 'hold',
            id: 'cut-hold',
            from: 'proxy-1',
            to: 'relay-1',
            direction: 'out',
            ports: [SMP_PORT],
            for: '${outage}',
          },
          background: true,
        },
        { name: 'a message is sent', run: (trial) => send(trial, 1) },
        { name: 'the outage lasts', wait: '${outage}' },
      ],
    },
    { name: 'recovery', steps: [untilArrived(1, '5m')] },
  ],
  measure: ['smp.choice', 'smp.messages', 'smp.healing', 'smp.relay'],
  measures: [
    { name: 'recoveredS', title: 'From the end of the outage to the arrival', unit: 's' },
    { name: 'waited', title: 'Messages that waited for the healing', unit: 'messages' },
    { name: 'relayReconnects', title: 'Reconnects of P1 to R', unit: 'connects' },
    ...messageMeasureSpecs,
  ],
  plots: [{ title: 'Not yet arrived', kind: 'survival', y: 'recoveredS', series: 'heal', facet: 'variant' }],
  checks: [
    {
      check: 'measure-bound',
      title: 'the message arrives',
      kind: 'invariant',
      parameters: { measure: 'undelivered', op: '=', value: 0 },
      reason: 'The way is whole again.',
    },
    {
      check: 'measure-bound',
      title: 'the message waited for the healing',
      kind: 'guard',
      parameters: { measure: 'waited', op: '=', value: 1 },
      reason: 'One that arrives before or during the outage says nothing of how the way healed.',
    },
    ...(
      [
        [
          'toxic',
          40,
          'Its end closes the connection; a forward that was under way is reported within 30 s, and the next one 2 s later passes.',
        ],
        ['hold', 10, 'What was held is handed over, the forward that is under way with it.'],
      ] as const
    ).map(
      ([heal, withinS, reason]): CheckSpec => ({
        check: 'measure-bound',
        title: `healed by ${heal}, the message is there within ${withinS} s`,
        kind: 'invariant',
        parameters: { measure: 'recoveredS', op: '<=', value: withinS, missing: 'largest' },
        where: { heal },
        reason,
      }),
    ),
    ...noLoss,
    ...guards,
  ],
  warp: warpUpTo(8, 'healing'),
  shortestTimeout: '2s',
};
