/** Detection of real crashes: what the fixes cost, on a clean network and under packet loss. */
import type { ScenarioSpec } from '../../harness/index.ts';
import { clusterParameters, guards, warmUp } from './outage.ts';
import { VARIANTS } from './points.ts';
import { published } from './published.ts';

export const crash: ScenarioSpec = {
  name: 'crash',
  description: 'Kills nodes at one instant and measures when the first survivor declares each of them dead.',
  topology: 'memberlist-128',
  parameters: {
    ...clusterParameters,
    crashes: { type: 'integer', description: 'nodes killed at once', default: 10, minimum: 1 },
    loss: {
      type: 'ratio',
      description: 'packets lost on arrival at every node, UDP and TCP alike',
      default: 0,
    },
    watch: { type: 'duration', description: 'how long the survivors are watched', default: '60s' },
  },
  overrides: (point) => ({ counts: { member: Number(point['size']) }, variant: String(point['variant']) }),
  grids: {
    quick: {
      description: 'shipped and both, no loss, one run each',
      axes: { variant: ['shipped', 'both'] },
      trials: 1,
    },
    core: {
      description: 'every variant without loss, 3 runs of 10 crashes',
      axes: { variant: VARIANTS },
      trials: 3,
    },
    full: {
      description: 'every variant at 0, 30 and 40 % loss',
      axes: { loss: [0, 0.3, 0.4], variant: VARIANTS },
      trials: 3,
    },
  },
  defaultGrid: 'quick',
  trials: 3,
  bed: 'fresh',
  phases: [
    warmUp,
    {
      name: 'fault',
      steps: [
        {
          name: 'loss begins',
          fault: {
            kind: 'loss',
            id: 'loss',
            on: 'member',
            direction: 'in',
            protocol: 'all',
            lossRatio: '${loss}',
            mustShow: {},
          },
          background: true,
        },
        {
          name: 'crashed',
          fault: { kind: 'kill', id: 'crash', on: 'pick(${crashes},member)' },
          background: true,
        },
        { name: 'watched', wait: '${watch}' },
      ],
    },
  ],
  measure: ['memberlist.crash'],
  measures: [
    { name: 'firstDetectionS', title: 'First detection', unit: 's' },
    { name: 'firstDetectionMedianS', title: 'Median first detection of a run', unit: 's' },
    { name: 'firstDetectionSlowestS', title: 'Slowest first detection of a run', unit: 's' },
    { name: 'crashesSeenByAllRatio', title: 'Crashes seen by all survivors', unit: '' },
    { name: 'falseDeaths', title: 'False deaths', unit: 'deaths' },
  ],
  plots: [
    {
      title: 'Crashes not yet detected',
      kind: 'survival',
      y: 'firstDetectionS',
      series: 'variant',
      facet: 'loss',
    },
  ],
  checks: [
    {
      check: 'measure-bound',
      title: 'every crash is seen by all survivors',
      kind: 'invariant',
      parameters: { measure: 'crashesSeenByAllRatio', op: '=', value: 1 },
      reason: 'In the document every crash was seen by all 118 survivors in every run.',
    },
    ...guards,
  ],
  published: published(
    'crash-median-real-low',
    'crash-median-real-high',
    'crash-median-warp-low',
    'crash-median-warp-high',
    'crash-median-simulation',
    'fix-cost-median',
    'fix-cost-slowest',
    'survivors',
  ),
  warp: { ceiling: 4, control: 'crash at warp 1' },
  timeBudget: '10m',
  shortestTimeout: '500ms',
};
