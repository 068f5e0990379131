/** The black hole is per connection: what P1 connects anew is lost as well, or is not, by the kind of the hole. */
import type { CheckSpec, ScenarioSpec } from '../../harness/index.ts';
import { bedOverrides, blackHole, HANDSHAKE_BYTES, SMP_PORT, variantParameter } from './bed.ts';
import {
  choiceMeasureSpecs,
  connectMeasureSpecs,
  connects,
  firstPickWasP1,
  forgetsInTime,
  guards,
  masterDoesNotConnect,
  messageMeasureSpecs,
  noLoss,
  ofTheNew,
  warpUpTo,
} from './checks.ts';
import { BACKGROUND_KEPT_S } from './contact-joins.ts';
import { BOTH } from './points.ts';
import { picksAre } from './seeds.ts';
import { begin, contactJoins, establishedStep, prepareConnection, send, untilConnected } from './steps.ts';

const RECONNECTS = [1, 2, 3];

/** P1's connections to R are ended again and again; each new one completes its handshakes and loses the rest. */
export const reconnects: ScenarioSpec = {
  name: 'reconnects',
  description:
    'P1’s black-holed connection to R is ended in the middle of each forward, so that P1 connects anew through the black hole: the old agent stays stuck although P1 reconnected.',
  topology: 'smp-two-proxies',
  parameters: {
    variant: variantParameter,
    watch: { type: 'duration', description: 'how long it goes on after the last end', default: '2m' },
  },
  overrides: bedOverrides,
  grids: { quick: { description: 'before and after', axes: { variant: BOTH } } },
  defaultGrid: 'quick',
  trials: 10,
  bed: 'reuse',
  seedWhere: picksAre('proxy-1', 'proxy-2'),
  phases: [
    begin,
    {
      name: 'fault',
      steps: [
        { name: 'P1 to R is black-holed', fault: blackHole(), background: true },
        contactJoins,
        ...RECONNECTS.flatMap((turn) => [
          {
            name: `until a forward has timed out, ${turn}`,
            until: {
              event: 'forward.failed',
              on: 'app-1',
              where: { error: 'PROXY BROKER TIMEOUT' },
              count: turn,
            },
            within: '70s',
            orElse: 'continue' as const,
          },
          // The next forward is under way by then: an attempt to connect in the second of the end would be another fault.
          { name: 'the next one is under way', wait: '10s' },
          {
            name: `P1’s connection to R is ended, ${turn}`,
            fault: {
              kind: 'refuse' as const,
              id: `ended-${turn}`,
              from: 'proxy-1',
              to: 'relay-1',
              ports: [SMP_PORT],
              for: '1s',
              // Nobody need connect in that second; that the connection ended is seen by P1's next one.
              mustShow: {},
            },
          },
        ]),
      ],
    },
    { name: 'recovery', steps: [untilConnected('${watch}')] },
  ],
  measure: ['smp.choice', 'smp.connect', 'smp.relay'],
  measures: [
    ...connectMeasureSpecs,
    { name: 'relayReconnects', title: 'Reconnects of P1 to R', unit: 'connects' },
    { name: 'sessionsRemoved', title: 'Dead sessions removed', unit: 'sessions' },
    ...choiceMeasureSpecs,
  ],
  plots: [{ title: 'One trial', kind: 'timeline', y: 'relay.connected' }],
  checks: [
    { ...connects, reason: 'P2 is the second pick of each trial’s seed.' },
    {
      check: 'measure-bound',
      title: 'the old agent stays stuck although P1 reconnected',
      kind: 'invariant',
      parameters: { measure: 'connected', op: '=', value: 0 },
      where: { variant: 'master' },
      reason:
        'NO_SESSION makes a new session through the same proxy, and its connection is black-holed as well.',
    },
    {
      check: 'measure-bound',
      title: 'P1 reconnected',
      kind: 'guard',
      parameters: { measure: 'relayReconnects', op: '>=', value: 2 },
      where: { variant: 'master' },
      reason:
        'A hole that killed the next handshake would be another fault: PRXY would fail, and the old agent recover.',
    },
    {
      check: 'measure-bound',
      title: 'the old agent makes new sessions through P1',
      kind: 'invariant',
      parameters: { measure: 'sessionsRemoved', op: '>=', value: 2 },
      where: { variant: 'master' },
      reason:
        'Each ended connection costs it the session: NO_SESSION has it removed, and PRXY through the same proxy makes another.',
    },
    forgetsInTime(
      BACKGROUND_KEPT_S + 35,
      'A forward on a connection that was ended waits for its own time out.',
    ),
    firstPickWasP1,
    ...guards,
  ],
  expect: [masterDoesNotConnect],
  warp: warpUpTo(8, 'reconnects'),
  shortestTimeout: '1s',
};

const HOLES = ['after-handshake', 'stream', 'connect', 'reset', 'stall'];

/** How long the agent takes to be connected by P2, its second pick. */
const RECOVERIES = [
  {
    holes: ['after-handshake', 'stall'],
    withinS: 75,
    where: ofTheNew,
    reason: 'Two reports of 30 s with 2 s between them, 2 s to the next attempt, and connecting.',
  },
  {
    holes: ['stream', 'connect'],
    withinS: 60,
    where: {},
    reason:
      'P1 gives its connect up after 45 s, so that PRXY fails, in either version; 2 s later P2 is asked.',
  },
  {
    holes: ['reset'],
    withinS: 15,
    where: {},
    reason: 'P1’s connect fails at once, in either version, and 2 s later P2 is asked.',
  },
] as const;

/** Other ways in which P1 cannot reach R. */
export const otherHoles: ScenarioSpec = {
  name: 'other-holes',
  description:
    'The document’s black hole beside others: every byte lost from the first on, SYN lost, connections reset, a stall after three forwards. The old agent recovers from those that make PRXY fail.',
  topology: 'smp-two-proxies',
  parameters: {
    variant: variantParameter,
    hole: {
      type: 'choice',
      description: 'what happens between P1 and R',
      default: 'after-handshake',
      choices: HOLES,
    },
    watch: { type: 'duration', description: 'how long the agent has to connect', default: '5m' },
  },
  overrides: bedOverrides,
  grids: { quick: { description: 'each, before and after', axes: { hole: HOLES, variant: BOTH } } },
  defaultGrid: 'quick',
  trials: 10,
  bed: 'reuse',
  seedWhere: picksAre('proxy-1', 'proxy-2'),
  phases: [
    begin,
    {
      name: 'fault',
      steps: [
        {
          name: 'lost after the handshakes',
          when: { hole: 'after-handshake' },
          fault: { ...blackHole(), id: 'cut-after-handshake' },
          background: true,
        },
        {
          name: 'lost from the first byte on',
          when: { hole: 'stream' },
          fault: {
            kind: 'blackhole-stream',
            id: 'cut-stream',
            from: 'proxy-1',
            to: 'relay-1',
            ports: [SMP_PORT],
          },
          background: true,
        },
        {
          name: 'SYN lost',
          when: { hole: 'connect' },
          fault: {
            kind: 'blackhole-connect',
            id: 'cut-connect',
            from: 'proxy-1',
            to: 'relay-1',
            direction: 'out',
            ports: [SMP_PORT],
          },
          background: true,
        },
        {
          name: 'reset',
          when: { hole: 'reset' },
          fault: { kind: 'reset', id: 'cut-reset', from: 'proxy-1', to: 'relay-1', ports: [SMP_PORT] },
          background: true,
        },
        {
          name: 'lost after three forwards',
          when: { hole: 'stall' },
          fault: { ...blackHole(), id: 'cut-stall', bytes: HANDSHAKE_BYTES + 3 * 16_406 },
          background: true,
        },
        {
          name: 'P1 has forwarded three times',
          when: { hole: 'stall' },
          takes: () => '3s',
          run: (trial) => prepareConnection(trial, 1),
        },
        contactJoins,
      ],
    },
    { name: 'recovery', steps: [untilConnected('${watch}')] },
  ],
  measure: ['smp.choice', 'smp.connect', 'smp.relay'],
  measures: [
    ...connectMeasureSpecs,
    ...choiceMeasureSpecs,
    { name: 'forgottenPrxy', title: 'Choices forgotten for a failed PRXY', unit: 'choices' },
    { name: 'relayConnects', title: 'Connections of P1 to R', unit: 'connects' },
  ],
  plots: [
    { title: 'Not yet connected', kind: 'survival', y: 'connectedS', series: 'hole', facet: 'variant' },
  ],
  checks: [
    { ...connects, reason: 'P2 is the second pick of each trial’s seed.' },
    ...RECOVERIES.map(
      ({ holes, withinS, reason, where }): CheckSpec => ({
        check: 'measure-bound',
        title: `${holes.join(', ')}: connected within ${withinS} s`,
        kind: 'invariant',
        parameters: { measure: 'connectedS', op: '<=', value: withinS, missing: 'largest' },
        where: { ...where, hole: holes },
        reason,
      }),
    ),
    {
      check: 'measure-bound',
      title: 'a failed PRXY forgets at once, in either version',
      kind: 'invariant',
      parameters: { measure: 'forgottenPrxy', op: '>=', value: 1 },
      where: { hole: ['stream', 'connect', 'reset'] },
      reason: 'The control that both pass: it is no part of the fix.',
    },
    firstPickWasP1,
    ...guards,
  ],
  expect: [
    {
      where: { variant: 'master', hole: ['after-handshake', 'stall'] },
      check: 'the agent connects',
      outcome: 'fail',
      reason: 'PRXY succeeds each time, so that the old agent keeps P1.',
    },
  ],
  warp: warpUpTo(8, 'other-holes'),
  shortestTimeout: '1s',
};

const SPEEDS = ['under', 'over'];

/** The way from P1 to R is slow: answers come just before the proxy's 30 s, or just after. */
export const slowLink: ScenarioSpec = {
  name: 'slow-link',
  description:
    'The way from P1 to R becomes so slow that its answers take just under the proxy’s 30 s, or just over: under it the choice stays, over it the new agent moves on.',
  topology: 'smp-two-proxies',
  parameters: {
    variant: variantParameter,
    speed: {
      type: 'choice',
      description: 'on which side of 30 s answers come',
      default: 'under',
      choices: SPEEDS,
    },
  },
  overrides: bedOverrides,
  grids: { quick: { description: 'either side, before and after', axes: { speed: SPEEDS, variant: BOTH } } },
  defaultGrid: 'quick',
  trials: 10,
  bed: 'reuse',
  seedWhere: picksAre('proxy-1', 'proxy-2'),
  phases: [
    begin,
    { name: 'warm-up', steps: [establishedStep(1)] },
    {
      name: 'fault',
      steps: [
        ...(
          [
            ['under', '14s'],
            ['over', '16s'],
          ] as const
        ).map(([speed, latencyMs]) => ({
          name: `each way takes ${latencyMs}`,
          when: { speed },
          fault: {
            kind: 'slow' as const,
            id: `cut-${speed}`,
            from: 'proxy-1',
            to: 'relay-1',
            ports: [SMP_PORT],
            latencyMs,
            for: '150s',
          },
          background: true,
        })),
        { name: 'a message is sent', run: (trial) => send(trial, 1) },
        { name: 'attempts and their answers', wait: '100s' },
      ],
    },
    {
      name: 'recovery',
      steps: [
        {
          name: 'until the agent knows that it has arrived',
          until: { event: 'operation.ok', on: 'app-1' },
          within: '3m',
          orElse: 'continue',
        },
      ],
    },
  ],
  measure: ['smp.choice', 'smp.messages'],
  measures: [...choiceMeasureSpecs, ...messageMeasureSpecs],
  checks: [
    {
      check: 'measure-bound',
      title: 'a slow answer that comes in time leaves the choice',
      kind: 'invariant',
      parameters: { measure: 'forgotten', op: '=', value: 0 },
      where: { speed: 'under' },
      reason: 'It is a success, however slow.',
    },
    {
      check: 'measure-bound',
      title: 'answers that are always too late move the new agent on',
      kind: 'invariant',
      parameters: { measure: 'streaksForgotten', op: '>=', value: 1 },
      where: { ...ofTheNew, speed: 'over' },
      reason: 'The proxy reports a timeout each time.',
    },
    {
      check: 'measure-bound',
      title: 'the message arrives',
      kind: 'invariant',
      parameters: { measure: 'delivered', op: '=', value: 1 },
      reason: 'In time, through the other proxy, or when the way is fast again.',
    },
    ...noLoss,
    firstPickWasP1,
    ...guards,
  ],
  warp: warpUpTo(4, 'slow-link'),
  timeBudget: '8m',
  shortestTimeout: '1s',
};
