/** The join wave on fetch nodes, for the versions of the joiners: among holders that know busy answers, and among mixed ones. */
import type { AggregateSpec, CheckSpec, ComparisonSpec, ScenarioSpec } from '../../../harness/index.ts';
import { VARIANTS } from '../holders/points.ts';
import { joinWave } from '../join-wave.ts';
import { published } from '../published.ts';
import { refusalMeasureSpecs } from './measures.ts';

const perVariant = (
  measure: string,
  title: string,
  unit: string,
  op: 'mean' | 'sum' = 'mean',
): readonly AggregateSpec[] =>
  VARIANTS.map((variant) => ({ title: `${title}, ${variant}`, op, measure, where: { variant }, unit }));

/** What each change buys alone, and both. */
const bought: readonly AggregateSpec[] = [
  ...perVariant('drainMedianS', 'Drain time, median of the joiners', 's'),
  ...perVariant('refusedDrops', 'Requests dropped', 'requests a wave'),
  ...perVariant('refusedPastSilence', 'of these, to a holder counted as silent', 'requests a wave'),
  ...perVariant('refusedBusy', 'Requests answered busy', 'requests a wave'),
  ...perVariant('attemptsTimeout', 'Fetches that timed out', 'fetches a wave'),
  ...perVariant('trustPenalties', 'Trust events against holders', 'events a wave'),
];

/** Each of two versions as the baseline of every later one. */
const pairs: readonly ComparisonSpec[] = VARIANTS.flatMap((baseline, place) =>
  VARIANTS.slice(place + 1).map((candidate) => ({
    title: `${candidate} against ${baseline}`,
    parameter: 'variant',
    baseline,
    candidate,
    primary: {
      measure: 'drainMedianS',
      better: 'lower' as const,
      margin: 5,
      openAs: 'watchedS',
      reason: 'Whether a node has drained is looked at every 5 s, so less than that is no difference.',
    },
    secondary: [
      { measure: 'refusedDrops', better: 'lower' as const, margin: 5 },
      { measure: 'attemptsTimeout', better: 'lower' as const, margin: 2 },
      { measure: 'trustPenalties', better: 'lower' as const, margin: 2 },
    ],
    noLoss: ['keysLost', 'keysMissing'],
  })),
);

const WITH_SHARE = ['share', 'share+busy'];

const bounded = (
  title: string,
  [measure, op, value]: readonly [string, '=' | '>=', number],
  variant: readonly string[],
  reason: string,
): CheckSpec => ({
  check: 'measure-bound',
  title,
  kind: 'invariant',
  parameters: { measure, op, value },
  where: { variant },
  reason,
});

/** Without it the wave would ask too little of the holders to tell one version from another. */
const refused = bounded(
  'the release is refused',
  ['refusedDrops', '>=', 1],
  ['before'],
  'It asks holders for more than their share, and drops are its only answer.',
);

const { holders: _h, joiners: _j, external: _e, fault: _f, ...waveParameters } = joinWave.parameters;

const shared: Omit<ScenarioSpec, 'name' | 'description' | 'topology' | 'overrides'> = {
  parameters: {
    variant: {
      type: 'choice',
      description: 'version of the joiners',
      default: 'share',
      choices: VARIANTS,
    },
    ...waveParameters,
  },
  grids: {
    versions: { description: 'the release, each change, and both', axes: { variant: VARIANTS } },
  },
  defaultGrid: 'versions',
  trials: 3,
  bed: 'reuse',
  timeBudget: '15m',
  shortestTimeout: '15s',
  phases: joinWave.phases.map(({ name, steps }) => ({
    name,
    // What disturbs a wave here is who the holders are.
    steps: steps.filter((step) => !('fault' in step)),
  })),
  measure: [...joinWave.measure, 'ant.refusals'],
  measures: [...joinWave.measures, ...refusalMeasureSpecs],
  plots: [
    { title: 'Joiners not yet drained', kind: 'survival', y: 'drainS', series: 'variant' },
    ...(joinWave.plots ?? []).filter(({ kind }) => kind === 'course'),
  ],
  checks: [
    ...joinWave.checks,
    {
      check: 'measure-bound',
      title: 'no drained joiner lacks a key of its own',
      kind: 'invariant',
      parameters: { measure: 'keysMissing', op: '=', value: 0 },
      reason: 'Drained means that all that it was told of is stored.',
    },
    { check: 'bed-clean', title: 'the bed was clean afterwards', kind: 'guard', parameters: {} },
  ],
  aggregates: bought,
};

/** All holders know busy answers and answer. The release among them shows the counter of production. */
export const versionWave: ScenarioSpec = {
  ...shared,
  name: 'version-wave',
  description:
    'Four fresh nodes of each version join eight holders at once: what they are refused, what that costs, and what each change buys alone and both.',
  topology: 'fetch-join-smoke',
  overrides: ({ variant }) => ({ variant: { holder: 'share+busy', joiner: String(variant) } }),
  checks: [
    ...(shared.checks ?? []),
    refused,
    bounded(
      'what is past the share of busy answers alone is answered',
      ['refusedBusy', '>=', 1],
      ['busy'],
      'The holders know of busy answers, and so does who asks.',
    ),
    bounded(
      'with the share nothing is dropped',
      ['refusedDrops', '=', 0],
      WITH_SHARE,
      'Every holder answers, so that none is asked past its share, and four such shares are eight of twelve slots.',
    ),
    bounded(
      'with the share no fetch times out',
      ['attemptsTimeout', '=', 0],
      WITH_SHARE,
      'Nothing is dropped, and every holder answers.',
    ),
  ],
  aggregates: [
    {
      title: 'Drops with only two slots in use, both the refused peer’s, of all drops',
      op: 'ratio',
      measure: 'refusedAtTwo',
      of: 'refusedDrops',
      where: { variant: 'before' },
      unit: '%',
      published: ['drops-at-two'],
    },
    ...bought,
  ],
  published: published('drops-at-two'),
};

/** Two holders each that answer, are silent, are busy, and run the release. */
export const mixedWave: ScenarioSpec = {
  ...shared,
  name: 'mixed-wave',
  description:
    'Four fresh nodes of each version join holders of which two answer, two are silent, two are busy and two run the release.',
  topology: 'fetch-mixed',
  // Of the release some drain only after one timeout upon the other.
  parameters: {
    ...shared.parameters,
    watch: { type: 'duration', description: 'how long a batch is watched', default: '8m' },
  },
  overrides: ({ variant }) => ({ variant: { joiner: String(variant) } }),
  checks: [
    ...(shared.checks ?? []),
    refused,
    bounded(
      'with the share all drain while they are watched',
      ['undrained', '=', 0],
      WITH_SHARE,
      'A silent holder costs one timeout and is passed then, and what each key needs others have.',
    ),
  ],
};

/** The mixed wave with a verdict on every pair of versions; its exit is that of the comparisons. */
export const mixedPairs: ScenarioSpec = {
  ...mixedWave,
  name: 'mixed-pairs',
  description: 'The mixed wave, and a comparison of every pair of versions.',
  onlyWhenNamed: true,
  trials: 5,
  comparisons: pairs,
};
