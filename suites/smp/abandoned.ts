/** A proxy whose connection to a relay is under way when the sender leaves (simplexmq#1806), with its control. */
import type { MeasurePredicate, ScenarioSpec } from '../../harness/index.ts';
import { SMP_PORT } from './bed.ts';
import { guards, warpUpTo } from './checks.ts';
import { APP, liftedNs, registerTrialMeasure, seconds } from './events.ts';
import { begin, CONTACT, join } from './steps.ts';

const OTHER = 'app-2';

/** From the healing of the way to R to the connection of an agent that came afterwards. */
export const abandonedMeasures: MeasurePredicate = (trial, events) => {
  const healedNs = liftedNs(trial, 'cut');
  const connected = events.find(({ event, node }) => event === 'connection.established' && node === OTHER);
  return {
    otherConnected: Number(connected !== undefined),
    otherConnectedS: connected && healedNs !== undefined ? seconds(connected.atNs - healedNs, trial) : null,
    abandonedConnects: events.filter(({ event, node }) => event === 'relay.abandoned' && node === 'proxy-1')
      .length,
  };
};

registerTrialMeasure('smp.abandoned', abandonedMeasures);

export const abandonedConnect: ScenarioSpec = {
  name: 'abandoned-connect',
  description:
    'R takes TCP connections and never finishes TLS; an agent has the proxy connect to it and leaves a second later; R heals, and another agent comes. The control is the same without the leaving.',
  topology: 'smp-two-proxies',
  parameters: {
    variant: {
      type: 'choice',
      description: 'the proxy as it is, or with the place of an abandoned connect left taken',
      default: 'shipped',
      choices: ['shipped', 'stuck-connect'],
    },
    leaves: {
      type: 'boolean',
      description: 'the first agent leaves while the proxy connects',
      default: true,
    },
  },
  overrides: (point) => ({
    counts: { proxy: 1, app: 2 },
    variant: { proxy: String(point['variant']) },
  }),
  grids: {
    quick: { description: 'with its control', axes: { leaves: [true, false], variant: ['shipped'] } },
    incident: {
      description: 'the incident beside it',
      axes: { leaves: [true, false], variant: ['shipped', 'stuck-connect'] },
    },
  },
  defaultGrid: 'incident',
  trials: 10,
  bed: 'reuse',
  phases: [
    begin,
    {
      name: 'fault',
      steps: [
        {
          name: 'R takes connections and never finishes TLS',
          fault: {
            kind: 'blackhole-stream',
            id: 'cut',
            from: 'proxy-1',
            to: 'relay-1',
            ports: [SMP_PORT],
          },
          background: true,
        },
        {
          name: 'an agent has the proxy connect',
          run: async (trial) =>
            void (await join(trial, { holder: CONTACT, joiner: APP, interactive: false })),
        },
        {
          name: 'until the proxy connects',
          until: { event: 'relay.connecting', on: 'proxy-1' },
          within: '5s',
          orElse: 'void',
        },
        { name: 'a second of the connect', wait: '1s' },
        {
          name: 'the agent leaves',
          when: { leaves: true },
          fault: { kind: 'kill', id: 'left', on: APP },
          background: true,
        },
        { name: 'R is still no better', wait: '3s' },
        { name: 'R heals', lift: 'cut' },
      ],
    },
    {
      name: 'recovery',
      steps: [
        {
          name: 'another agent comes',
          run: async (trial) =>
            void (await join(trial, { holder: CONTACT, joiner: OTHER, interactive: false })),
        },
        {
          name: 'until it is connected',
          until: { event: 'connection.established', on: OTHER },
          within: '3m',
          orElse: 'continue',
        },
      ],
    },
  ],
  measure: ['smp.abandoned', 'smp.relay'],
  measures: [
    { name: 'otherConnected', title: 'The other agent connected', unit: '' },
    { name: 'otherConnectedS', title: 'From the healing to its connection', unit: 's' },
    { name: 'abandonedConnects', title: 'Connects that their client left', unit: 'connects' },
  ],
  checks: [
    {
      check: 'measure-bound',
      title: 'the other agent connects within the cached error and a retry',
      kind: 'invariant',
      parameters: { measure: 'otherConnectedS', op: '<=', value: 65, missing: 'largest' },
      reason:
        'A failed connection is the answer for 30 s; the pauses of the other agent have grown to 15 s by then, and it connects in two steps.',
    },
    {
      check: 'measure-bound',
      title: 'a connect that was left is no error that is cached',
      kind: 'invariant',
      parameters: { measure: 'otherConnectedS', op: '<=', value: 15, missing: 'largest' },
      where: { leaves: true },
      reason:
        'Nobody waited for its error any more; the other agent’s attempt makes a connection of its own.',
    },
    {
      check: 'measure-bound',
      title: 'a connect was abandoned',
      kind: 'guard',
      parameters: { measure: 'abandonedConnects', op: '>=', value: 1 },
      where: { leaves: true },
      reason: 'The row is about a client that leaves during a connect.',
    },
    ...guards,
  ],
  expect: [
    'the other agent connects within the cached error and a retry',
    'a connect that was left is no error that is cached',
  ].map((check) => ({
    where: { variant: 'stuck-connect', leaves: true },
    check,
    outcome: 'fail',
    reason: 'Everybody waits on the place that nobody fills.',
  })),
  kills: [
    {
      mutant: 'stuck-connect',
      point: { variant: 'shipped', leaves: true },
      trials: 2,
      reason: 'The place of the abandoned connect stays taken.',
    },
  ],
  warp: warpUpTo(4, 'abandoned-connect'),
  shortestTimeout: '1s',
};
