/** The document's Android rows in which only P2 is configured at some moment, without a restart. */
import type { ScenarioSpec } from '../../harness/index.ts';
import { bedOverrides, holeStep, variantParameter } from './bed.ts';
import {
  choiceMeasureSpecs,
  connectMeasureSpecs,
  connects,
  firstPickWasP1,
  guards,
  guardsWithoutFault,
  noLoss,
  ofTheNew,
  warpUpTo,
} from './checks.ts';
import { SECOND_ROW_BEGAN } from './connect-measures.ts';
import { BOTH } from './points.ts';
import { published } from './published.ts';
import { FIRST_PICK_P1 } from './seeds.ts';
import { appJoins, appJoinsAnother, begin, configureStep, contactJoins, untilConnected } from './steps.ts';
import { choiceThroughServers } from './through-servers.ts';

/** The rows of the document's Android table: what is quick is all of it. */
const documentGrids = {
  quick: { description: 'before and after', axes: { variant: BOTH } },
  document: { description: 'the Android row, before and after', axes: { variant: BOTH } },
} as const;

const shared = {
  topology: 'smp-two-proxies',
  trials: 10,
  bed: 'reuse',
  seedWhere: FIRST_PICK_P1,
  shortestTimeout: '1s',
} as const;

/** P1 fails as often as the document's did, then only P2 is configured, and another link is joined. */
export const anotherLink: ScenarioSpec = {
  ...shared,
  name: 'another-link',
  description:
    'P1 fails four times (client timeouts, then its own reports), then only P2 is configured and another link is joined. Nothing is restarted.',
  parameters: {
    variant: variantParameter,
    watch: { type: 'duration', description: 'how long the second link has to connect', default: '2m' },
  },
  overrides: (point) => ({
    ...bedOverrides(point),
    // Two seconds from an error to the tap: with the proxy's 30 s that is the document's 32 s between two reports.
    settings: { app: { retries: 3, retryOnErrorMs: 2_000 } },
  }),
  grids: documentGrids,
  defaultGrid: 'document',
  phases: [
    begin,
    {
      name: 'fault',
      steps: [
        holeStep,
        appJoins,
        {
          // The second attempt waits 30 s, as the proxy does; where the proxy is first, P1 is forgotten one failure earlier.
          name: 'until the client has given up twice',
          until: { event: 'join.failed', on: 'app-1', where: { alert: 'Connection timeout' }, count: 2 },
          within: '75s',
          orElse: 'void',
        },
        {
          name: 'until P1 has failed four times',
          until: { event: 'join.failed', on: 'app-1', count: 4 },
          within: '4m',
          orElse: 'void',
        },
      ],
    },
    {
      name: 'recovery',
      steps: [
        configureStep(['proxy-2']),
        appJoinsAnother,
        {
          name: 'until the second link is connected, or has failed three times',
          until: { predicate: 'smp.join-over', parameters: { cap: 2, marker: SECOND_ROW_BEGAN } },
          within: '${watch}',
          orElse: 'continue',
        },
      ],
    },
  ],
  measure: ['smp.choice', 'smp.second-connect', 'smp.alerts'],
  measures: [
    { name: 'secondConnected', title: 'Second link connected', unit: '' },
    { name: 'secondConnectedS', title: 'Time to connect the second link', unit: 's' },
    { name: 'secondFailures', title: 'Failures of the second link', unit: 'failures' },
    { name: 'connectionTimeouts', title: 'Client timeouts before the switch', unit: 'timeouts' },
    { name: 'routingTimeouts', title: 'Reports of P1 before the switch', unit: 'reports' },
    { name: 'routingGapS', title: 'Between the first and the last report', unit: 's' },
    ...choiceMeasureSpecs,
  ],
  checks: [
    {
      check: 'measure-bound',
      title: 'the second link connects',
      kind: 'invariant',
      parameters: { measure: 'secondConnected', op: '=', value: 1 },
      reason: 'P1 has failed for longer than the interval and is configured no more.',
    },
    {
      check: 'measure-bound',
      title: 'the second link connects at once',
      kind: 'invariant',
      parameters: { measure: 'secondFailures', op: '=', value: 0 },
      where: ofTheNew,
      reason: 'P1 was forgotten at its second report, so that the next pick can only be P2.',
    },
    {
      check: 'measure-bound',
      title: 'the old agent fails through P1 in every trial',
      kind: 'invariant',
      parameters: { measure: 'secondConnected', op: '=', value: 0 },
      where: { variant: 'master' },
      reason: 'The document saw it so in 3 of 3 trials: configured servers alone clear no choice.',
    },
    {
      check: 'measure-bound',
      title: 'the old agent’s second link failed three times',
      kind: 'guard',
      parameters: { measure: 'secondFailures', op: '=', value: 3 },
      where: { variant: 'master' },
      reason: 'A watch that ends before the attempts do shows nothing of them.',
    },
    {
      check: 'measure-bound',
      title: 'P1 failed by two client timeouts and two reports',
      kind: 'guard',
      parameters: { measure: 'connectionTimeouts', op: '=', value: 2 },
      reason:
        'The document’s trials had two of each. With fewer the step that waits for them voids the trial; with more it would be another one than the document’s as well.',
    },
    firstPickWasP1,
    ...guards,
  ],
  expect: [
    {
      where: { variant: 'master' },
      check: 'the second link connects',
      outcome: 'fail',
      reason: 'The remembered P1 is used although it is configured no more.',
    },
  ],
  aggregates: [
    {
      title: 'Second link fails via P1, old agent',
      op: 'ratio',
      measure: 'secondNotConnected',
      of: 'secondRows',
      where: { variant: 'master' },
      unit: 'of the trials',
      published: ['android-servers-master'],
    },
    {
      title: 'Second link connected, new agent',
      op: 'ratio',
      measure: 'secondConnected',
      of: 'secondRows',
      where: { variant: 'repick' },
      unit: 'of the trials',
      published: ['android-servers-new'],
    },
    {
      title: 'Failures of P1 before the switch, mean',
      op: 'mean',
      measure: 'failuresBeforeSwitch',
      where: {},
      unit: 'failures',
      published: ['android-failures'],
    },
    {
      title: 'Client timeouts before the switch, mean',
      op: 'mean',
      measure: 'connectionTimeouts',
      where: {},
      unit: 'failures',
      published: ['android-connection-timeouts'],
    },
    {
      title: 'Reports of P1 before the switch, mean',
      op: 'mean',
      measure: 'routingTimeouts',
      where: {},
      unit: 'failures',
      published: ['android-routing-timeouts'],
    },
    {
      title: 'Between the first and the last report, mean',
      op: 'mean',
      measure: 'routingGapS',
      where: {},
      unit: 's',
      published: ['android-routing-gap'],
    },
  ],
  published: published(
    'android-servers-master',
    'android-servers-new',
    'android-failures',
    'android-connection-timeouts',
    'android-routing-timeouts',
    'android-routing-gap',
  ),
  warp: warpUpTo(8, 'another-link'),
};

/** A contact is stuck on P1, then only P2 is configured. */
export const stuckContact: ScenarioSpec = {
  ...shared,
  name: 'stuck-contact',
  description:
    'A contact has joined the agent’s link and is stuck on P1; after 59 s only P2 is configured. Nothing is restarted.',
  parameters: {
    variant: variantParameter,
    before: { type: 'duration', description: 'from the join to the change of the servers', default: '59s' },
    watch: { type: 'duration', description: 'how long it is watched after the change', default: '240s' },
  },
  overrides: bedOverrides,
  grids: documentGrids,
  defaultGrid: 'document',
  phases: [
    begin,
    { name: 'fault', steps: [holeStep, contactJoins, { name: 'stuck', wait: '${before}' }] },
    { name: 'recovery', steps: [configureStep(['proxy-2']), untilConnected('${watch}')] },
  ],
  measure: ['smp.choice', 'smp.connect'],
  measures: [
    ...connectMeasureSpecs,
    { name: 'connectedAfterSwitchS', title: 'Time to connect after the switch', unit: 's' },
    ...choiceMeasureSpecs,
  ],
  plots: [{ title: 'Not yet connected', kind: 'survival', y: 'connectedS', series: 'variant' }],
  checks: [
    { ...connects, reason: 'Only P2 can be picked once P1 is forgotten.' },
    {
      check: 'measure-bound',
      title: 'the old agent is still connecting in every trial',
      kind: 'invariant',
      parameters: { measure: 'connected', op: '=', value: 0 },
      where: { variant: 'master' },
      reason: 'The document saw it so 240 s later, in 2 of 2 trials.',
    },
    {
      check: 'measure-bound',
      title: 'the new agent connects when it forgets P1',
      kind: 'invariant',
      parameters: { measure: 'connectedS', op: '<=', value: 70 },
      where: ofTheNew,
      reason:
        'The second report of P1 comes after 62 s, and the next attempt a few seconds later has P2 alone.',
    },
    firstPickWasP1,
    ...guards,
  ],
  expect: [
    {
      where: { variant: 'master' },
      check: 'the agent connects',
      outcome: 'fail',
      reason: 'The remembered P1 is used although it is configured no more.',
    },
  ],
  aggregates: [
    {
      title: 'Not connected after the switch, old agent',
      op: 'ratio',
      measure: 'notConnected',
      of: 'rows',
      where: { variant: 'master' },
      unit: 'of the trials',
      published: ['android-stuck-master-trials'],
    },
    {
      title: 'Watched in vain after the switch, old agent, mean',
      op: 'mean',
      measure: 'waitedAfterSwitchS',
      where: { variant: 'master' },
      unit: 's',
      published: ['android-stuck-master'],
    },
    {
      title: 'Time to connect, new agent, mean',
      op: 'mean',
      measure: 'connectedS',
      where: { variant: 'repick' },
      unit: 's',
      published: ['android-stuck-new'],
    },
    {
      title: 'Time to connect after the switch, new agent, mean',
      op: 'mean',
      measure: 'connectedAfterSwitchS',
      where: { variant: 'repick' },
      unit: 's',
      published: ['android-stuck-new-switch'],
    },
    {
      title: 'Connected after the switch, new agent',
      op: 'ratio',
      measure: 'connected',
      of: 'rows',
      where: { variant: 'repick' },
      unit: 'of the trials',
      published: ['android-stuck-new-trials'],
    },
  ],
  published: published(
    'android-stuck-master',
    'android-stuck-master-trials',
    'android-stuck-new',
    'android-stuck-new-switch',
    'android-stuck-new-trials',
  ),
  // At 8 the real time of a join, times eight, moved the document's 5 s to 8 s.
  warp: warpUpTo(4, 'stuck-contact'),
};

/** Changing the configured servers alone clears no choice, in either version. */
export const serversAlone: ScenarioSpec = {
  ...shared,
  name: 'servers-alone',
  description:
    'Nothing is broken; only P2 is configured while P1 is the choice, and messages are sent: they go through P1 as before, in either version.',
  trials: 3,
  parameters: { variant: variantParameter },
  overrides: bedOverrides,
  grids: { quick: { description: 'before and after', axes: { variant: BOTH } } },
  defaultGrid: 'quick',
  phases: choiceThroughServers,
  measure: ['smp.choice', 'smp.messages', 'smp.after-switch'],
  measures: [
    { name: 'throughP1AfterSwitch', title: 'Forwards through P1 after the switch', unit: 'forwards' },
    { name: 'throughOthersAfterSwitch', title: 'Forwards through others', unit: 'forwards' },
    ...choiceMeasureSpecs,
  ],
  checks: [
    {
      check: 'measure-bound',
      title: 'messages go through the remembered proxy',
      kind: 'invariant',
      parameters: { measure: 'throughP1AfterSwitch', op: '>=', value: 3 },
      reason: 'Changing the configured servers alone clears no choice, in either version.',
    },
    {
      check: 'measure-bound',
      title: 'no message goes through another',
      kind: 'invariant',
      parameters: { measure: 'throughOthersAfterSwitch', op: '=', value: 0 },
      reason: 'Changing the configured servers alone clears no choice, in either version.',
    },
    ...noLoss,
    firstPickWasP1,
    ...guardsWithoutFault,
  ],
  warp: warpUpTo(8, 'servers-alone'),
};
