/** A lossy network in which nobody is down: does the failure detector invent deaths? */
import type { ScenarioSpec } from '../../harness/index.ts';
import { clusterOverrides, clusterParameters, guards, warmUp } from './outage.ts';
import { published } from './published.ts';

/** The document's cluster and ten minutes; what is lost, and of what, is an axis. */
const REFERENCE = { size: 128, length: '10m' } as const;

/** The agent's own count of what it dropped and passed must show the loss that was asked for. */
export const lossAsAsked = {
  check: 'measure-bound',
  title: 'the loss was as asked',
  kind: 'guard',
  parameters: { measure: 'lossErrorRatio', op: '<=', value: 0.02 },
  reason: 'Over the 10,000 packets and more of a trial the share strays by less than half of a percent.',
} as const;

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
    ...clusterOverrides(point),
    settings: { member: { disableTcpPings: !point['tcpPings'] } },
  }),
  grids: {
    quick: {
      description: '2 minutes at 30 %, shipped',
      axes: { length: ['2m'], variant: ['shipped'] },
      trials: 1,
    },
    core: {
      description: 'shipped and both at 40 % of UDP; one run each',
      axes: { loss: [0.4], variant: ['shipped', 'both'] },
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
  measure: ['memberlist.loss', 'memberlist.loss-seen'],
  measures: [
    { name: 'falseDeaths', title: 'False deaths', unit: 'deaths' },
    { name: 'killings', title: 'Nodes killed', unit: 'nodes' },
    { name: 'killingsPerNodeHour', title: 'Nodes killed a node-hour', unit: 'per node-hour' },
    { name: 'verdicts', title: 'Verdicts of suspicion timers', unit: 'verdicts' },
    { name: 'measuredLossRatio', title: 'Measured loss', unit: 'ratio' },
    { name: 'lossErrorRatio', title: 'Measured loss less the loss asked for', unit: 'ratio' },
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
    lossAsAsked,
    ...guards,
  ],
  aggregates: [
    {
      title: 'UDP loss, TCP pings on',
      op: 'sum',
      measure: 'falseDeaths',
      where: { ...REFERENCE, protocol: 'udp', tcpPings: true },
      unit: 'deaths',
      published: ['loss-real'],
    },
    ...[0.3, 0.4].map((ratio) => ({
      title: `Node-hours at ${ratio * 100} % UDP loss, shipped and both together`,
      op: 'sum' as const,
      measure: 'nodeHours',
      where: { ...REFERENCE, protocol: 'udp', tcpPings: true, loss: ratio },
      unit: 'h',
      published: ['loss-node-hours'],
    })),
    {
      title: 'Nodes killed a node-hour, 40 % UDP loss, no TCP pings, as shipped',
      op: 'ratio',
      measure: 'killings',
      of: 'nodeHours',
      where: { ...REFERENCE, protocol: 'udp', tcpPings: false, loss: 0.4, variant: 'shipped' },
      unit: 'per node-hour',
      published: ['loss-simulation'],
    },
  ],
  published: published('loss-real', 'loss-simulation', 'loss-node-hours'),
  timeBudget: '20m',
  shortestTimeout: '500ms',
};
