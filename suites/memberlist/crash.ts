/** Detection of real crashes: what the fixes cost, on a clean network and under packet loss. */
import type { AggregateSpec, Point, ScenarioSpec } from '../../harness/index.ts';
import { lossAsAsked } from './loss.ts';
import { clusterOverrides, clusterParameters, guards, warmUp } from './outage.ts';
import { VARIANTS } from './points.ts';
import { published } from './published.ts';
import { crashAtBothSpeeds } from './speed.ts';

/** What is lost: UDP alone as in the document, whose network never dropped TCP, or everything. */
const PROTOCOLS = ['udp', 'all'] as const;

/** The document's cells are over 30 crashes, 10 a run. */
const RUNS = 3;

const crashParameters = {
  ...clusterParameters,
  crashes: { type: 'integer', description: 'nodes killed at once', default: 10, minimum: 1 },
} as const;

const crashSteps = [
  {
    name: 'crashed',
    fault: { kind: 'kill', id: 'crash', on: 'pick(${crashes},member)' },
    background: true,
  },
  { name: 'watched', wait: '${watch}' },
] as const;

const shared = {
  topology: 'memberlist-128',
  overrides: clusterOverrides,
  trials: 3,
  bed: 'fresh',
  measure: ['memberlist.crash'],
  timeBudget: '10m',
  shortestTimeout: '500ms',
} as const;

const detectionMeasures = [
  { name: 'firstDetectionS', title: 'First detection', unit: 's' },
  { name: 'firstDetectionMedianS', title: 'Median first detection of a run', unit: 's' },
  { name: 'firstDetectionSlowestS', title: 'Slowest first detection of a run', unit: 's' },
  { name: 'crashesSeenByAllRatio', title: 'Crashes seen by all survivors', unit: 'ratio' },
  { name: 'falseDeaths', title: 'False deaths', unit: 'deaths' },
] as const;

const seenByAll = {
  check: 'measure-bound',
  title: 'every crash is seen by all survivors',
  kind: 'invariant',
  parameters: { measure: 'crashesSeenByAllRatio', op: '=', value: 1 },
  reason: 'In the document every crash was seen by all 118 survivors in every run.',
} as const;

/** Figures of 10 crashes of 128 nodes, as in the document's runs; `place` adds what the scenario varies. */
function detectionFigures(variant: string, name: string, place: Point): AggregateSpec[] {
  const where = { size: 128, crashes: 10, variant, ...place };
  return [
    {
      title: `Median first detection, ${name}, mean of the runs`,
      op: 'mean',
      measure: 'firstDetectionMedianS',
      where,
      unit: 's',
    },
    {
      title: `Slowest first detection, ${name}`,
      op: 'max',
      measure: 'firstDetectionSlowestS',
      where,
      unit: 's',
    },
  ];
}

/** What the fixes add to them, which is what the document's prose has: differences, and the slowest of 30 crashes. */
function fixCost(name: string, place: Point, published: boolean): AggregateSpec[] {
  const [median, slowest] = detectionFigures('both', `what both fixes add${name}`, place);
  const less = { variant: 'shipped' };
  return [
    { ...(median as AggregateSpec), less, ...(published && { published: ['fix-cost-median'] }) },
    {
      ...(slowest as AggregateSpec),
      less,
      // A slowest of more would be slower for that alone.
      atLeast: { trials: RUNS },
      firstTrials: RUNS,
      ...(published && { published: ['fix-cost-slowest'] }),
    },
  ];
}

/** The same figure of ours beside each of the document's three sources; what it has at one speed stands beside ours at that. */
const medianBeside = (source: string, ids: readonly string[]): AggregateSpec => ({
  title: `Median first detection, as shipped; published: ${source}`,
  op: 'mean',
  measure: 'firstDetectionMedianS',
  where: { size: 128, crashes: 10, variant: 'shipped' },
  unit: 's',
  published: ids,
});

export const crash: ScenarioSpec = {
  ...shared,
  name: 'crash',
  description: 'Kills nodes at one instant and measures when the first survivor declares each of them dead.',
  parameters: {
    ...crashParameters,
    watch: { type: 'duration', description: 'how long the survivors are watched', default: '60s' },
  },
  grids: {
    quick: {
      description: 'shipped and both, one run each',
      axes: { variant: ['shipped', 'both'] },
      trials: 1,
    },
    core: {
      description: 'every variant, 3 runs of 10 crashes',
      axes: { variant: VARIANTS },
      trials: 3,
    },
    full: {
      description: 'every variant, 6 runs of 10 crashes',
      axes: { variant: VARIANTS },
      trials: 6,
    },
  },
  defaultGrid: 'quick',
  phases: [warmUp, { name: 'fault', steps: crashSteps }],
  measures: detectionMeasures,
  plots: [{ title: 'Crashes not yet detected', kind: 'survival', y: 'firstDetectionS', series: 'variant' }],
  checks: [seenByAll, ...guards],
  aggregates: [
    medianBeside('real speed, lowest and highest run', ['crash-median-real-low', 'crash-median-real-high']),
    medianBeside('4×, lowest and highest run', ['crash-median-warp-low', 'crash-median-warp-high']),
    medianBeside('simulation', ['crash-median-simulation']),
    ...detectionFigures('shipped', 'as shipped', {}),
    ...detectionFigures('both', 'both fixes', {}),
    ...fixCost('', {}, true),
    {
      title: 'Crashes seen by all survivors, mean share; published: survivors',
      op: 'mean',
      measure: 'crashesSeenByAllRatio',
      where: { size: 128, crashes: 10 },
      unit: 'ratio',
      published: ['survivors'],
    },
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
  comparisons: crashAtBothSpeeds,
  warp: { ceiling: 4, control: 'crash at warp 1' },
};

/**
 * Apart from `crash`, because a cell without loss must have no packet pass through the agent, and a cell with loss must
 * show that packets were lost.
 */
export const crashUnderLoss: ScenarioSpec = {
  ...shared,
  name: 'crash-under-loss',
  onlyWhenNamed: true,
  description:
    'The same crashes while every node loses a share of what arrives: of UDP as in the document, or of all.',
  parameters: {
    ...crashParameters,
    loss: { type: 'ratio', description: 'packets lost on arrival at every node', default: 0.3 },
    // A side, so that the same nodes crash in the n-th trial of either.
    protocol: {
      type: 'choice',
      description: 'which packets are lost',
      default: 'udp',
      choices: [...PROTOCOLS],
      side: true,
    },
    watch: { type: 'duration', description: 'how long the survivors are watched', default: '120s' },
  },
  grids: {
    full: {
      description: 'every variant at 30 and 40 % loss of UDP and of all packets, 3 runs of 10 crashes',
      axes: { loss: [0.3, 0.4], protocol: PROTOCOLS, variant: VARIANTS },
      trials: 3,
    },
  },
  defaultGrid: 'full',
  measure: ['memberlist.crash', 'memberlist.loss-seen'],
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
            protocol: '${protocol}' as never,
            lossRatio: '${loss}',
          },
          background: true,
        },
        { name: 'health scores follow the loss', wait: '10s' },
        ...crashSteps,
      ],
    },
  ],
  measures: [
    ...detectionMeasures,
    { name: 'measuredLossRatio', title: 'Measured loss', unit: 'ratio' },
    { name: 'lossErrorRatio', title: 'Measured loss less the loss asked for', unit: 'ratio' },
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
  checks: [seenByAll, lossAsAsked, ...guards],
  aggregates: PROTOCOLS.flatMap((protocol) =>
    [0.3, 0.4].flatMap((ratio) => {
      const place = { loss: ratio, protocol };
      const lost = `${ratio * 100} % loss of ${protocol === 'udp' ? 'UDP' : 'all packets'}`;
      return [
        ...detectionFigures('shipped', `${lost}, as shipped`, place),
        ...detectionFigures('both', `${lost}, both fixes`, place),
        // The document's network never dropped TCP: its cells stand beside the loss of UDP alone.
        ...fixCost(`, ${lost}`, place, protocol === 'udp'),
      ];
    }),
  ),
  published: published('fix-cost-median', 'fix-cost-slowest'),
};
