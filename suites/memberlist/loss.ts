/** A lossy network in which nobody is down: does the failure detector invent deaths? */
import type { ScenarioSpec } from '../../harness/index.ts';
import { clusterParameters, guards, warmUp } from './outage.ts';
import { published } from './published.ts';

export const loss: ScenarioSpec = {
  name: 'loss',
  description:
    'Loses a share of the packets that arrive at each node for ten minutes and counts healthy nodes declared dead.',
  topology: 'memberlist-128',
  parameters: {
    ...clusterParameters,
    loss: { type: 'ratio', description: 'share of packets lost on arrival', default: 0.3 },
    protocol: {
      type: 'choice',
      description: 'which packets are lost',
      default: 'udp',
      choices: ['udp', 'all'],
    },
    tcpPings: { type: 'boolean', description: 'the TCP fallback ping is on', default: true },
    length: { type: 'duration', description: 'how long the loss lasts', default: '10m' },
  },
  overrides: (point) => ({
    counts: { member: Number(point['size']) },
    variant: String(point['variant']),
    settings: { member: { disableTcpPings: !point['tcpPings'] } },
  }),
  grids: {
    quick: {
      description: '2 minutes at 30 %, shipped',
      axes: { length: ['2m'], variant: ['shipped'] },
      trials: 1,
    },
    core: {
      description: 'shipped and both at 40 %: UDP, all packets, UDP without TCP pings; one run each',
      axes: { loss: [0.4], variant: ['shipped', 'both'] },
      points: ['shipped', 'both'].flatMap((variant) => [
        { variant, loss: 0.4, protocol: 'all' },
        { variant, loss: 0.4, tcpPings: false },
      ]),
      trials: 1,
    },
    full: {
      description: '30 and 40 %, shipped and both, three kinds of loss, 3 runs of ten minutes each',
      axes: { loss: [0.3, 0.4], variant: ['shipped', 'both'] },
      points: ['shipped', 'both'].flatMap((variant) =>
        [0.3, 0.4].flatMap((ratio) => [
          { variant, loss: ratio, protocol: 'all' },
          { variant, loss: ratio, tcpPings: false },
        ]),
      ),
      trials: 3,
    },
  },
  defaultGrid: 'quick',
  trials: 3,
  bed: 'reuse',
  phases: [
    warmUp,
    {
      name: 'fault',
      steps: [
        {
          name: 'lossy',
          fault: {
            kind: 'loss',
            id: 'loss',
            on: 'member',
            direction: 'in',
            protocol: '${protocol}' as never,
            for: '${length}',
            lossRatio: '${loss}',
          },
        },
      ],
    },
    { name: 'settle', steps: [{ name: 'watched', wait: '10s' }] },
  ],
  measure: ['memberlist.loss'],
  measures: [
    { name: 'falseDeaths', title: 'False deaths', unit: 'deaths' },
    { name: 'verdicts', title: 'Verdicts of suspicion timers', unit: 'verdicts' },
    { name: 'victimsPerNodeHour', title: 'Verdicts a node-hour', unit: 'per node-hour' },
    { name: 'measuredLossRatio', title: 'Measured loss', unit: '' },
    { name: 'nodeHours', title: 'Node-hours', unit: 'h' },
  ],
  checks: [
    {
      check: 'measure-bound',
      title: 'no false death under UDP loss',
      kind: 'invariant',
      parameters: { measure: 'falseDeaths', op: '=', value: 0 },
      where: { protocol: 'udp', tcpPings: true },
      reason: 'The document saw none over 64 node-hours a setting: the TCP fallback ping stands in.',
    },
    ...guards,
  ],
  published: published('loss-real', 'loss-simulation', 'loss-node-hours'),
  timeBudget: '20m',
  shortestTimeout: '500ms',
};
