/** A control that must show nothing, and the outages that the document could not run. */
import type { ComparisonSpec, ParameterSpec, ScenarioSpec } from '../../harness/index.ts';
import { cutMustShow } from './must-show.ts';
import { clusterOverrides, clusterParameters, guards, outage, outageMeasureSpecs, warmUp } from './outage.ts';
import { CUTOFFS, VARIANTS } from './points.ts';
import { published } from './published.ts';
import { watchedPhase } from './settled.ts';

const shared = {
  topology: 'memberlist-128',
  overrides: clusterOverrides,
  trials: 3,
  bed: 'reuse',
  measure: ['memberlist.outage'],
  measures: outageMeasureSpecs,
  timeBudget: '15m',
  shortestTimeout: '500ms',
} as const;

export const zeroOutage: ScenarioSpec = {
  ...shared,
  name: 'zero-outage',
  description: 'An outage of practically zero length: the same machinery, and no false death.',
  parameters: {
    ...clusterParameters,
    cutoff: { type: 'integer', description: 'nodes cut off at once', default: 32, minimum: 1 },
  },
  grids: {
    core: { description: 'as shipped, 32 nodes', axes: { variant: ['shipped'] } },
    full: {
      description: '1, 8 and 32 nodes, every variant: the outage grid at 0 s',
      axes: { cutoff: CUTOFFS, variant: VARIANTS },
    },
  },
  defaultGrid: 'core',
  phases: [
    warmUp,
    {
      name: 'fault',
      steps: [
        {
          name: 'cut and released',
          // 10 ms may pass without a packet: no lower bound on what was held. That it was in force, and how long, the agent says.
          fault: {
            kind: 'hold',
            id: 'cut',
            on: 'pick(${cutoff},member)',
            for: '10ms',
            udp: 'hold',
            tcp: 'drop',
            mustShow: {},
          },
        },
      ],
    },
    { name: 'recovery', steps: [{ name: 'watched', wait: '90s' }] },
  ],
  measures: [...outageMeasureSpecs, { name: 'cutLastedMs', title: 'The cut lasted', unit: 'ms' }],
  checks: [
    {
      check: 'measure-bound',
      title: 'no false death',
      kind: 'invariant',
      parameters: { measure: 'falseDeaths', op: '=', value: 0 },
      reason: 'Nothing was cut off for long enough to matter; the document saw none.',
    },
    ...guards.map((guard) =>
      guard.check === 'faults-bit'
        ? { ...guard, title: 'the cut was put in force at every node, and seen to be gone' }
        : guard,
    ),
  ],
  aggregates: [
    {
      title: 'Outages of practically zero length',
      op: 'sum',
      measure: 'falseDeaths',
      where: { size: 128 },
      unit: 'deaths',
      published: ['zero-outage'],
    },
  ],
  published: published('zero-outage'),
};

/** The same outage on a bed that was reset and on one of its own: the sensitive measure must not tell them apart. */
const sameOnBothBeds = (
  size: number,
  cutoff: number,
  margin: number,
  deathsMargin: number,
): ComparisonSpec => ({
  title: `Reset beds against beds of their own, ${cutoff} of ${size} cut off`,
  parameter: 'beds',
  baseline: 'fresh',
  candidate: 'reuse',
  where: { size, cutoff, variant: 'shipped' },
  primary: {
    measure: 'cutVerdicts',
    better: 'same',
    margin,
    rankBelow: 0.01,
    reason: `A quarter of what ${cutoff} of ${size} nodes, cut off for 40 s, come to as a rule.`,
  },
  secondary: [{ measure: 'falseDeaths', better: 'same', margin: deathsMargin }],
});

export const reuse: ScenarioSpec = {
  ...shared,
  name: 'reuse',
  onlyWhenNamed: true,
  description: 'The reference outage on beds that are reset between trials and on beds of their own.',
  parameters: {
    ...clusterParameters,
    beds: {
      type: 'choice',
      description: 'a bed that is reset for each trial, or a new one',
      default: 'reuse',
      choices: ['reuse', 'fresh'],
      side: true,
    },
    cutoff: { type: 'integer', description: 'nodes cut off at once', default: 32, minimum: 1 },
    outage: { type: 'duration', description: 'how long they are cut off', default: '40s' },
    watch: outage.parameters['watch'] as ParameterSpec,
    watchEnds: outage.parameters['watchEnds'] as ParameterSpec,
  },
  grids: {
    full: {
      description: 'as shipped, 32 of 128 cut off, 30 trials a side',
      axes: { beds: ['reuse', 'fresh'] },
    },
    small: {
      description: 'as shipped, 4 of 16 cut off, 40 trials a side',
      axes: { size: [16], cutoff: [4], beds: ['reuse', 'fresh'] },
      trials: 40,
    },
  },
  defaultGrid: 'full',
  trials: 30,
  bed: '${beds}',
  phases: [
    warmUp,
    {
      name: 'fault',
      steps: [
        {
          name: 'cut off and released',
          fault: {
            kind: 'hold',
            id: 'cut',
            on: 'pick(${cutoff},member)',
            for: '${outage}',
            udp: 'hold',
            tcp: 'drop',
            mustShow: cutMustShow,
          },
        },
      ],
    },
    watchedPhase,
  ],
  checks: guards,
  comparisons: [sameOnBothBeds(128, 32, 8, 50), sameOnBothBeds(16, 4, 2, 8)],
};

const rackCut = (rack: number, wait: string) => [
  { name: `rack ${rack} waits its turn`, wait },
  {
    name: `rack ${rack} cut off`,
    fault: {
      kind: 'hold' as const,
      id: `cut-rack-${rack}`,
      on: `member[${rack * 8 - 7}..${rack * 8}]`,
      for: '${outage}',
      udp: 'hold',
      tcp: 'drop',
      mustShow: cutMustShow,
    },
    background: true,
  },
];

export const racks: ScenarioSpec = {
  ...shared,
  name: 'racks',
  onlyWhenNamed: true,
  description: 'Four racks of eight lose their uplinks five seconds apart, each for the same time.',
  parameters: {
    ...clusterParameters,
    size: { ...clusterParameters.size, minimum: 33 },
    outage: { type: 'duration', description: 'how long each rack is cut off', default: '40s' },
    watch: {
      type: 'duration',
      description: 'how long the cluster is watched after the last release',
      default: '90s',
    },
  },
  grids: { full: { description: 'shipped and both', axes: { variant: ['shipped', 'both'] } } },
  defaultGrid: 'full',
  phases: [
    warmUp,
    {
      name: 'fault',
      steps: [
        ...rackCut(1, '1s'),
        ...rackCut(2, '5s'),
        ...rackCut(3, '5s'),
        ...rackCut(4, '5s'),
        { name: 'the last rack is still out', wait: '${outage}' },
      ],
    },
    { name: 'recovery', steps: [{ name: 'watched', wait: '${watch}' }] },
  ],
  checks: [
    {
      check: 'measure-bound',
      title: 'no false death with both fixes',
      kind: 'invariant',
      parameters: { measure: 'falseDeaths', op: '=', value: 0 },
      where: { variant: 'both' },
      reason: 'The document did not run this; the fixes are local to the accuser and should hold.',
    },
    ...guards,
  ],
};

const repeatedCut = (turn: number) => [
  {
    name: `outage ${turn}`,
    fault: {
      kind: 'hold' as const,
      id: `cut-${turn}`,
      on: 'pick(${cutoff},member)',
      for: '${outage}',
      udp: 'hold',
      tcp: 'drop',
      mustShow: cutMustShow,
    },
  },
  { name: `pause after outage ${turn}`, wait: '4s' },
];

export const backToBack: ScenarioSpec = {
  ...shared,
  name: 'back-to-back',
  onlyWhenNamed: true,
  description: 'Five outages of the same nodes with 4 s between them, as the simulation ran them.',
  parameters: {
    ...clusterParameters,
    cutoff: { type: 'integer', description: 'nodes cut off at once', default: 32, minimum: 1 },
    outage: { type: 'duration', description: 'length of each outage', default: '16s' },
    watch: {
      type: 'duration',
      description: 'how long the cluster is watched after the last release',
      default: '90s',
    },
  },
  grids: {
    full: {
      description: 'around the onsets of the simulation (33 s for 8 nodes, 14 s for 32), as shipped',
      axes: {},
      points: [
        ...['12s', '14s', '16s', '20s'].map((outage) => ({ cutoff: 32, outage })),
        ...['24s', '32s', '34s', '40s'].map((outage) => ({ cutoff: 8, outage })),
      ],
    },
  },
  defaultGrid: 'full',
  phases: [
    warmUp,
    { name: 'fault', steps: [1, 2, 3, 4, 5].flatMap(repeatedCut) },
    { name: 'recovery', steps: [{ name: 'watched', wait: '${watch}' }] },
  ],
  checks: [...guards],
  aggregates: ([8, 32] as const).map((cutoff) => ({
    title: `Leak starts, ${cutoff} nodes cut off five times, as shipped`,
    op: 'onset' as const,
    measure: 'falseDeaths',
    along: 'outage',
    where: { size: 128, variant: 'shipped', cutoff, watch: '90s' },
    unit: 'ms',
    published: [`onset-${cutoff}-simulation`],
  })),
  published: published('onset-8-simulation', 'onset-32-simulation'),
};
