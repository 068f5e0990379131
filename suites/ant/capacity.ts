import type { ScenarioSpec } from '../../harness/index.ts';
import { joinWave } from './join-wave.ts';

/** Nodes of each wave: 30, 60 and 100. */
const SIZES = [
  { holders: 20, joiners: 10, chunks: 600 },
  { holders: 40, joiners: 20, chunks: 1_200 },
  { holders: 70, joiners: 30, chunks: 2_100 },
] as const;

type Operation = Aggregate['op'];
type Aggregate = NonNullable<ScenarioSpec['aggregates']>[number];

const FIGURES: readonly (readonly [title: string, measure: string, unit: string, op?: Operation])[] = [
  ['drain time, slowest', 'drainSlowestS', 's'],
  ['joiners not drained', 'undrained', ''],
  ['keys lost', 'keysLost', ''],
  ['joiner, most memory', 'nodeMemoryMostBytes', 'bytes'],
  ['holder, most memory', 'holderMemoryMostBytes', 'bytes'],
  ['host, highest load', 'hostLoadMost', ''],
  ['host, share of CPU busy', 'hostBusyRatio', ''],
  ['host, least memory free', 'hostMemoryFreeLeastBytes', 'bytes', 'mean'],
];

const figures: readonly Aggregate[] = SIZES.flatMap(({ holders, joiners }) =>
  FIGURES.map(
    ([title, measure, unit, op = 'max']): Aggregate => ({
      title: `${holders + joiners} nodes: ${title}`,
      op,
      measure,
      where: { holders },
      unit,
    }),
  ),
);

const { fault: _fault, ...undisturbed } = joinWave.parameters;

const duration = (description: string, otherwise: string) =>
  ({ type: 'duration', description, default: otherwise }) as const;

/**
 * The join wave larger and larger, for what it takes of this host: figures and no verdict. Here the host may be late, since how it
 * fares at its limit is what is asked; only what makes a record incomplete is a reason against one.
 */
export const capacity: ScenarioSpec = {
  ...joinWave,
  name: 'capacity',
  description: 'Larger and larger join waves, for what they take of memory and CPU; no verdict.',
  parameters: {
    ...undisturbed,
    watch: duration('how long a batch is watched', '15m'),
    patience: duration('how long holders may take to drain their own bootstrap before the wave', '20m'),
  },
  phases: joinWave.phases.map(({ name, steps }) => ({
    name,
    steps: steps.filter((step) => !('fault' in step)),
  })),
  grids: {
    default: { description: '30, 60 and 100 nodes, one wave of each', axes: {}, points: [...SIZES] },
  },
  trials: 1,
  timeBudget: '60m',
  shortestTimeout: '10m',
  plots: (joinWave.plots ?? []).map((plot) => ({ ...plot, series: 'holders' })),
  checks: joinWave.checks.filter(({ kind }) => kind === 'guard'),
  aggregates: figures,
};
