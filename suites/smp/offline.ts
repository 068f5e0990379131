/** P1 itself cannot be reached, or answers errors and stays connected. */
import type { FaultStep, ScenarioSpec } from '../../harness/index.ts';
import { bedOverrides, picksParameter, SMP_PORT, variantParameter } from './bed.ts';
import {
  choiceMeasureSpecs,
  connectMeasureSpecs,
  connects,
  connectsWithGoodPick,
  exposedTo,
  firstPickWasP1,
  forgetsInTime,
  guards,
  guardsWithoutFault,
  masterDoesNotConnect,
  masterStaysStuck,
  messageMeasureSpecs,
  noLoss,
  ofTheNew,
  ofTheNewExcept,
  warpUpTo,
} from './checks.ts';
import { BACKGROUND_KEPT_S } from './contact-joins.ts';
import { BOTH } from './points.ts';
import { published } from './published.ts';
import { ERRORS_THROUGHOUT, script } from './script.ts';
import { FIRST_PICK_P1_THEN_GOOD, picksAre } from './seeds.ts';
import { begin, contactJoins, establishedStep, send, untilConnected } from './steps.ts';

const shared = {
  overrides: bedOverrides,
  trials: 10,
  bed: 'reuse',
  shortestTimeout: '1s',
} as const;

const FORGOTTEN_AT_ONCE = 'P1 is forgotten at once';

/** P1 gone or out of reach: the connection to it fails, at once or after its timeout. */
function offlineRow(name: string, description: string, fault: FaultStep, retryS: number): ScenarioSpec {
  return {
    ...shared,
    name,
    description,
    topology: 'smp-home-apart',
    parameters: {
      variant: variantParameter,
      watch: { type: 'duration', description: 'how long the agent has to connect', default: '10m' },
      picks: picksParameter,
    },
    grids: { quick: { description: 'before and after', axes: { variant: BOTH } } },
    defaultGrid: 'quick',
    seedWhere: FIRST_PICK_P1_THEN_GOOD,
    phases: [
      begin,
      { name: 'fault', steps: [{ name: 'P1 cannot be reached', fault, background: true }] },
      { name: 'recovery', steps: [contactJoins, untilConnected('${watch}')] },
    ],
    measure: ['smp.choice', 'smp.connect'],
    measures: [...connectMeasureSpecs, ...choiceMeasureSpecs],
    plots: [{ title: 'Not yet connected', kind: 'survival', y: 'connectedS', series: 'variant' }],
    checks: [
      connectsWithGoodPick,
      masterStaysStuck,
      {
        check: 'measure-bound',
        title: FORGOTTEN_AT_ONCE,
        kind: 'invariant',
        parameters: { measure: 'forgottenConnect', op: '>=', value: 1 },
        where: ofTheNew,
        reason:
          'Without a connection the proxy has not received the destination: choosing again shows it to no more.',
      },
      {
        check: 'measure-bound',
        title: `each pick of P1 costs at most ${retryS} s`,
        kind: 'invariant',
        parameters: { measure: 'connectedSPerPick', op: '<=', value: retryS, missing: 'ignore' },
        where: ofTheNewExcept(WITHOUT_CONNECT_FAILURE),
        reason: 'The time that a connection attempt takes to fail, and the pause before the next attempt.',
      },
      {
        check: 'measure-bound',
        title: 'the way to P1 is blamed',
        kind: 'invariant',
        parameters: { measure: 'failedAtClient', op: '>=', value: 1 },
        reason: 'Nobody else was reached: the contrast to `relay-down` (incident 48), in either version.',
      },
      {
        check: 'measure-bound',
        title: 'R is not blamed',
        kind: 'invariant',
        parameters: { measure: 'failedAtRelay', op: '=', value: 0 },
        reason: 'R is well, and P2 reaches it at the first attempt.',
      },
      exposedTo(1, 'P1 was never reached, so that P2 alone learns of the destination.', ofTheNew),
      firstPickWasP1,
      ...guards,
    ],
    expect: [{ ...masterDoesNotConnect, reason: 'The old agent keeps a proxy that it cannot connect to.' }],
    aggregates: [
      {
        title: 'Time to connect, new agent, mean',
        op: 'mean',
        measure: 'connectedS',
        where: { variant: 'repick' },
        unit: 's',
      },
    ],
    warp: warpUpTo(8, name),
  };
}

/** The document's second mutation: the connect-failure forget disabled. */
const WITHOUT_CONNECT_FAILURE = 'repick-without-forget-on-connect-failure';

const offlineAtOnce = offlineRow(
  'offline',
  'P1 is killed before the agent has spoken to it: connections to it fail at once.',
  { kind: 'kill', id: 'gone', on: 'proxy-1' },
  20,
);

export const offline: ScenarioSpec = {
  ...offlineAtOnce,
  grids: {
    ...offlineAtOnce.grids,
    mutation: {
      description: 'the document’s mutation check, with the connect-failure forget off and on',
      axes: { watch: ['1m'], picks: [2], variant: [WITHOUT_CONNECT_FAILURE, 'repick'] },
      trials: 2,
    },
  },
  expect: [
    ...(offlineAtOnce.expect ?? []),
    ...[connects.title, FORGOTTEN_AT_ONCE].map((check) => ({
      ...masterDoesNotConnect,
      check,
      where: { variant: WITHOUT_CONNECT_FAILURE, picks: [2, 6] },
      reason: 'No connection to P1 ever stands, so that nothing else forgets it.',
    })),
  ],
  aggregates: [
    ...(offlineAtOnce.aggregates ?? []),
    {
      title: 'Not connected, the new agent without the connect-failure forget',
      op: 'ratio',
      measure: 'notConnected',
      of: 'rows',
      where: { variant: WITHOUT_CONNECT_FAILURE },
      unit: 'of the trials',
      published: ['mutation-offline'],
    },
  ],
  published: published('mutation-offline'),
  kills: [
    {
      mutant: WITHOUT_CONNECT_FAILURE,
      // Long enough for the second pick, and no longer: the mutant is watched to the end.
      point: { variant: 'repick', watch: '1m', picks: 2 },
      trials: 2,
      reason: 'No connection to P1 ever stands, so that nothing else forgets it.',
    },
  ],
};

export const unreachable = offlineRow(
  'unreachable',
  'Connections to P1 hang: their first packet vanishes.',
  {
    kind: 'blackhole-connect',
    id: 'gone',
    from: 'app-1',
    to: 'proxy-1',
    direction: 'out',
    ports: [SMP_PORT],
  },
  65,
);

/** P1 answers every forward with an error at once, and its connection stays alive. */
export const answersErrors: ScenarioSpec = {
  ...shared,
  name: 'answers-errors',
  description: 'P1 answers each forward with an error at once and keeps its connection alive.',
  topology: 'smp-two-proxies',
  parameters: {
    variant: variantParameter,
    watch: { type: 'duration', description: 'how long the message has to arrive', default: '5m' },
  },
  grids: { quick: { description: 'before and after', axes: { variant: BOTH } } },
  defaultGrid: 'quick',
  seedWhere: picksAre('proxy-1', 'proxy-2'),
  phases: [
    begin,
    { name: 'warm-up', steps: [establishedStep(1)] },
    {
      name: 'recovery',
      steps: [
        {
          name: 'P1 answers errors from now on, and a message is sent',
          run: async (trial) => {
            await script(trial, 'proxy-1', ERRORS_THROUGHOUT);
            await send(trial, 1);
          },
        },
        {
          name: 'until the message has arrived',
          until: { event: 'message.received', on: 'contact' },
          within: '${watch}',
          orElse: 'continue',
        },
      ],
    },
  ],
  measure: ['smp.choice', 'smp.messages'],
  measures: [...messageMeasureSpecs, ...choiceMeasureSpecs],
  checks: [
    {
      ...connects,
      title: 'the message arrives',
      parameters: { measure: 'delivered', op: '=', value: 1 },
      reason:
        'A proxy that answers errors keeps its connection alive, so that nothing but its streak forgets it.',
    },
    {
      check: 'measure-bound',
      title: 'the message arrives within a streak and one pause',
      kind: 'invariant',
      parameters: { measure: 'delayMaxS', op: '<=', value: 60 },
      where: ofTheNew,
      reason:
        'Errors come at once: the first one after 30 s forgets P1, and the pauses between attempts have grown to 15 s by then.',
    },
    {
      check: 'measure-bound',
      title: 'the old agent never delivers',
      kind: 'invariant',
      parameters: { measure: 'delivered', op: '=', value: 0 },
      where: { variant: 'master' },
      reason: 'It keeps a proxy whose connection is alive.',
    },
    forgetsInTime(BACKGROUND_KEPT_S, 'The streak is 30 s, and an attempt comes every few seconds.'),
    ...noLoss,
    firstPickWasP1,
    ...guardsWithoutFault,
  ],
  expect: [
    {
      where: { variant: 'master' },
      check: 'the message arrives',
      outcome: 'fail',
      reason: 'The old agent keeps the proxy whatever it answers.',
    },
  ],
  warp: warpUpTo(8, 'answers-errors'),
};
