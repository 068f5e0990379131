/** The reference outage: some nodes cut off at one instant, released at one instant, then watched. */
import type { Point, ScenarioSpec } from '../../harness/index.ts';
import { cutMustShow } from './must-show.ts';
import {
  ALL_OUTAGES,
  CUTOFFS,
  MUTANTS,
  MUTANTS_OF_BOTH,
  OUTAGES,
  SUM_OUTAGES,
  TELLING_POINTS,
  VARIANTS,
} from './points.ts';
import { published } from './published.ts';
import { watchedPhase } from './settled.ts';
import { onsetAtBothSpeeds } from './speed.ts';

/** The cut of the document in a cluster of its size; the other cuts have rows of their own and are in none of its figures. */
const REFERENCE_CUT = { size: 128, udp: 'hold', tcp: 'drop', direction: 'both' } as const;
/** And watched as long: what the document's figures stand beside. */
const REFERENCE = { ...REFERENCE_CUT, watch: '90s' } as const;

/** The document's sums are over 54 outages, no fewer and no more: 3 sizes, 6 lengths, 3 runs each. */
const SUM_OF = { atLeast: { points: 18, trials: 54 }, firstTrials: 3 } as const;

/**
 * Where the library as shipped leaks for certain: the longest suspicion is 63 s, and 32 nodes confirm each other early.
 * Sixteen nodes are the gate's: their longest suspicion is 36.1 s, so that it runs out during the outage.
 */
const KNOWN_LEAKS = [
  { size: 16, cutoff: [4], outage: ['40s'] },
  { cutoff: [32], outage: ['40s', '50s', '65s', '90s', '130s'] },
  { cutoff: [8], outage: ['65s', '90s', '130s'] },
  { cutoff: [1], outage: ['90s', '130s'] },
] as const;

/** The fix that did not work: nobody confirms, and the first suspicion of each node was created before its score rose. */
const CREATION_LEAKS = {
  ...REFERENCE_CUT,
  variant: 'health-at-creation',
  cutoff: [1],
  outage: ['65s'],
} as const;
const CREATION_TITLE = 'no false death with health at creation, 1 of 128 cut off';

const leakTitle = ({ size = 128, cutoff }: { readonly size?: number; readonly cutoff: readonly number[] }) =>
  `no false death as shipped, ${cutoff} of ${size} cut off`;

/** What a point says of the topology: how many members, which variant. */
export const clusterOverrides = (point: Point) => ({
  counts: { member: Number(point['size']) },
  variant: String(point['variant']),
});

export const clusterParameters = {
  size: {
    type: 'integer',
    description: 'nodes in the cluster',
    default: 128,
    minimum: 4,
    maximum: 900,
  },
  variant: {
    type: 'choice',
    description: 'the library as shipped, or with fixes',
    default: 'shipped',
    choices: [...VARIANTS, ...MUTANTS],
  },
} as const;

/** Converged as the document means it, and healthy: a score left over from the join would change the first suspicions. */
export const warmUp = {
  name: 'warm-up',
  steps: [
    {
      name: 'every node sees all others and has a health score of 0',
      until: { predicate: 'memberlist.converged', parameters: {} },
      within: '120s',
      orElse: 'void',
    },
  ],
} as const;

export const outageMeasureSpecs = [
  { name: 'falseDeaths', title: 'False deaths', unit: 'deaths' },
  { name: 'victims', title: 'Distinct victims', unit: 'nodes' },
  { name: 'cutVerdicts', title: 'Verdicts at cut-off nodes', unit: 'verdicts' },
  { name: 'cutVerdictsConfirmed', title: '… after a confirmation', unit: 'verdicts' },
  { name: 'cutVerdictsAtRelease', title: '… within 2 s of release', unit: 'verdicts' },
  { name: 'cutVerdictsDuringCut', title: '… during the outage', unit: 'verdicts' },
  { name: 'instantVerdicts', title: 'Fired by a confirmation on the spot', unit: 'verdicts' },
  { name: 'earlyVerdicts', title: 'Fired before the scaled timeout', unit: 'verdicts' },
  { name: 'packetsHeld', title: 'Packets held', unit: 'packets' },
  { name: 'releaseTookMs', title: 'Release, first to last packet', unit: 'ms' },
  { name: 'leaked', title: 'Share of outages that leak', unit: 'ratio' },
] as const;

export const guards = [
  { check: 'faults-bit', title: 'the cut was seen to bite', kind: 'guard', parameters: {} },
  { check: 'bed-clean', title: 'the bed was clean afterwards', kind: 'guard', parameters: {} },
  { check: 'logs-complete', title: 'no event was lost', kind: 'guard', parameters: {} },
] as const;

export const outage: ScenarioSpec = {
  name: 'outage',
  description:
    'Cuts nodes off at one instant (UDP held and delivered late, TCP dropped), releases them at one instant, and counts healthy nodes that healthy nodes declare dead.',
  topology: 'memberlist-128',
  parameters: {
    ...clusterParameters,
    cutoff: { type: 'integer', description: 'nodes cut off at once', default: 8, minimum: 1 },
    outage: { type: 'duration', description: 'how long they are cut off', default: '40s' },
    watch: {
      type: 'duration',
      description: 'how long the cluster is watched after the release',
      default: '90s',
    },
    watchEnds: {
      type: 'choice',
      description:
        'once no node suspects anybody any more and every health score is 0 (then nothing can come of the outage), or at the end of the watch',
      default: 'settled',
      choices: ['settled', 'time'],
    },
    udp: {
      type: 'choice',
      description: 'what the cut does to UDP',
      default: 'hold',
      choices: ['hold', 'drop', 'pass'],
    },
    tcp: {
      type: 'choice',
      description: 'what the cut does to TCP',
      default: 'drop',
      choices: ['hold', 'drop', 'pass'],
    },
    direction: {
      type: 'choice',
      description: 'which way is cut',
      default: 'both',
      choices: ['both', 'in', 'out'],
    },
  },
  overrides: clusterOverrides,
  grids: {
    quick: {
      description: 'one point, shipped and both: 6 trials',
      axes: { cutoff: [32], outage: ['40s'], variant: ['shipped', 'both'] },
    },
    gate: {
      // Measured on 2 cores: shipped leaked in all 55 trials (9 to 60 false deaths, mean 29), both in none of 53.
      description: 'the release gate: 16 nodes, 4 cut off for 40 s, shipped and both, one trial each',
      axes: { size: [16], cutoff: [4], outage: ['40s'], watch: ['8s'], variant: ['shipped', 'both'] },
      trials: 1,
    },
    core: {
      description:
        'shipped and both over 63 outages each, every other variant at the five points that tell it apart',
      axes: { cutoff: CUTOFFS, outage: OUTAGES, variant: ['shipped', 'both'] },
      points: TELLING_POINTS,
      trials: 3,
    },
    sums: {
      description:
        'the 54 outages of the document’s sums, health at creation: what the shipped library’s are set beside',
      axes: { cutoff: CUTOFFS, outage: SUM_OUTAGES, variant: ['health-at-creation'] },
      trials: 3,
    },
    onset: {
      description: 'where the leak starts: short outages, as shipped, 10 trials a point',
      axes: { cutoff: [8, 32], outage: ['12s', '16s', '20s', '24s', '32s', '40s'], variant: ['shipped'] },
      trials: 10,
    },
    isolation: {
      description: 'everything held, everything dropped, TCP held as well, one way only; shipped and both',
      axes: { cutoff: [32], outage: ['40s'], variant: ['shipped', 'both'] },
      points: [
        ...['shipped', 'both'].flatMap((variant) => [
          { variant, cutoff: 32, outage: '40s', udp: 'hold', tcp: 'hold' },
          { variant, cutoff: 32, outage: '40s', udp: 'drop', tcp: 'drop' },
          { variant, cutoff: 32, outage: '40s', direction: 'in' },
          { variant, cutoff: 32, outage: '40s', direction: 'out' },
        ]),
      ],
      trials: 3,
    },
    watched: {
      description:
        'control of the shorter watch: the full 90 s after outages of every kind, and nothing may happen once settled',
      axes: { watchEnds: ['time'], cutoff: [32], outage: ['40s', '130s'], variant: ['shipped', 'both'] },
      points: [
        { watchEnds: 'time', variant: 'grace', cutoff: 32, outage: '65s' },
        { watchEnds: 'time', variant: 'health-at-creation', cutoff: 8, outage: '65s' },
        { watchEnds: 'time', variant: 'no-lifeguard', cutoff: 8, outage: '16s' },
      ],
      trials: 1,
    },
    full: {
      description:
        'every outage length for every variant, 3 trials a point and up to 6 where the interval is wide: about a day',
      axes: { cutoff: CUTOFFS, outage: ALL_OUTAGES, variant: VARIANTS },
      trials: 6,
      enough: { measure: 'falseDeaths', from: 3, halfWidth: 5, halfWidthRatio: 0.5 },
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
          name: 'cut off and released',
          fault: {
            kind: 'hold',
            id: 'cut',
            on: 'pick(${cutoff},member)',
            for: '${outage}',
            direction: '${direction}' as never,
            udp: '${udp}',
            tcp: '${tcp}',
            // As UDP: a cut that drops everything must not be expected to have held something.
            other: '${udp}',
            mustShow: cutMustShow,
          },
        },
      ],
    },
    watchedPhase,
  ],
  measure: ['memberlist.outage', 'memberlist.settled'],
  measures: [
    ...outageMeasureSpecs,
    { name: 'settledAfterS', title: 'Settled after', unit: 's' },
    { name: 'deathsAfterSettled', title: 'Deaths and verdicts once settled', unit: 'events' },
  ],
  plots: [
    {
      title: 'False deaths against outage length',
      kind: 'line',
      x: 'outage',
      y: 'falseDeaths',
      series: 'variant',
      facet: 'cutoff',
      yScale: 'symlog',
    },
    { title: 'One outage', kind: 'timeline', y: 'member.dead' },
  ],
  checks: [
    ...KNOWN_LEAKS.map((leak) => ({
      check: 'measure-bound',
      title: leakTitle(leak),
      kind: 'invariant' as const,
      parameters: { measure: 'falseDeaths', op: '=', value: 0 },
      where: { ...REFERENCE_CUT, ...leak, variant: 'shipped' },
      reason: 'A healthy node must not be declared dead by healthy nodes.',
    })),
    {
      check: 'measure-bound',
      title: CREATION_TITLE,
      kind: 'invariant',
      parameters: { measure: 'falseDeaths', op: '=', value: 0 },
      where: CREATION_LEAKS,
      reason: 'A healthy node must not be declared dead by healthy nodes.',
    },
    {
      check: 'measure-bound',
      title: 'no false death with both fixes',
      kind: 'invariant',
      parameters: { measure: 'falseDeaths', op: '=', value: 0 },
      where: { variant: ['both', ...MUTANTS_OF_BOTH] },
      reason:
        'A healthy node must not be declared dead by healthy nodes; with both fixes the document saw none in 63 runs.',
    },
    {
      check: 'measure-bound',
      title: 'no false death by one node within the longest suspicion',
      kind: 'invariant',
      parameters: { measure: 'falseDeaths', op: '=', value: 0 },
      where: {
        ...REFERENCE_CUT,
        variant: VARIANTS.filter((variant) => variant !== 'both' && variant !== 'no-lifeguard'),
        cutoff: [1],
        outage: ALL_OUTAGES.filter((length) => Number.parseInt(length, 10) <= 50),
      },
      reason: 'Nobody confirms what one node alone suspects, so that its timers run for 63 s.',
    },
    {
      check: 'measure-bound',
      title: 'no false death by one node with the penalty first',
      kind: 'invariant',
      parameters: { measure: 'falseDeaths', op: '=', value: 0 },
      where: {
        ...REFERENCE_CUT,
        variant: 'health-at-creation-penalty-first',
        cutoff: [1],
        outage: ['65s', '90s'],
      },
      reason:
        'The first suspicion is created at a score of 1 and runs for 126 s: were there deaths here, the order of two lines would not be the reason for those of health-at-creation.',
    },
    {
      check: 'measure-bound',
      title: 'nothing happens once the cluster has settled',
      kind: 'invariant',
      parameters: { measure: 'deathsAfterSettled', op: '=', value: 0 },
      where: { watch: '90s' },
      reason:
        'A death needs a suspicion, and no node had one: else trials that end there would be cut short. Trials with watchEnds=time watch on for the full time.',
    },
    {
      check: 'measure-bound',
      title: 'the cluster settles within the watch',
      kind: 'invariant',
      parameters: { measure: 'settledAfterS', op: '<=', value: 90 },
      where: { watchEnds: 'time', watch: '90s' },
      reason: 'Else nothing is shown by what did not happen afterwards.',
    },
    {
      check: 'measure-bound',
      title: 'no verdict on the spot',
      kind: 'invariant',
      parameters: { measure: 'instantVerdicts', op: '=', value: 0 },
      where: { variant: ['grace', 'both', ...MUTANTS_OF_BOTH] },
      reason:
        'With the grace, a confirmation that finds the timeout passed waits 2 s, so that the suspect can refute.',
    },
    {
      check: 'measure-bound',
      title: 'no verdict before the scaled timeout',
      kind: 'invariant',
      parameters: { measure: 'earlyVerdicts', op: '=', value: 0 },
      where: { variant: ['health-at-firing', 'both', ...MUTANTS] },
      reason:
        'With the health read at firing, no verdict falls before the timeout times the score + 1 has passed.',
    },
    ...guards,
  ],
  expect: [
    ...KNOWN_LEAKS.map((leak) => ({
      where: { ...REFERENCE_CUT, ...leak, variant: 'shipped' },
      check: leakTitle(leak),
      outcome: 'fail' as const,
      reason:
        'The library as shipped leaks: overdue confirmations fire on the spot at the release, or suspicions run out during the outage.',
    })),
    {
      where: CREATION_LEAKS,
      check: CREATION_TITLE,
      outcome: 'fail',
      reason:
        'A score that is read when a suspicion is created comes too late for the first one, which runs out after 63 s: the document saw a false death here.',
    },
  ],
  aggregates: [
    ...([8, 32] as const).map((cutoff) => ({
      title: `Leak starts, ${cutoff} nodes cut off, as shipped`,
      op: 'onset' as const,
      measure: 'falseDeaths',
      along: 'outage',
      where: { ...REFERENCE, variant: 'shipped', cutoff },
      unit: 'ms',
      published: [`onset-${cutoff}`, `onset-${cutoff}-simulation`],
    })),
    {
      title: 'Leak starts, 1 node cut off, as shipped',
      op: 'onset',
      measure: 'falseDeaths',
      along: 'outage',
      where: { ...REFERENCE, variant: 'shipped', cutoff: 1 },
      unit: 'ms',
      published: ['maximum-suspicion', 'onset-1-safe', 'onset-1-failing'],
    },
    {
      title: 'Sum over the outages of 24 to 90 s, as shipped',
      op: 'sum',
      measure: 'falseDeaths',
      where: { ...REFERENCE, variant: 'shipped', outage: SUM_OUTAGES },
      ...SUM_OF,
      unit: 'deaths',
      published: ['sum-shipped', 'sum-outages'],
    },
    {
      title: 'Sum over the outages of 24 to 90 s, health at creation',
      op: 'sum',
      measure: 'falseDeaths',
      where: { ...REFERENCE, variant: 'health-at-creation', outage: SUM_OUTAGES },
      ...SUM_OF,
      unit: 'deaths',
      published: ['sum-health-at-creation', 'sum-outages'],
    },
    {
      title: 'Verdicts at cut-off nodes after a confirmation, 8 and 32 nodes, up to 50 s, as shipped',
      op: 'ratio',
      measure: 'cutVerdictsConfirmed',
      of: 'cutVerdicts',
      where: { ...REFERENCE, variant: 'shipped', cutoff: [8, 32], outage: ['24s', '32s', '40s', '50s'] },
      unit: '',
      published: ['cut-verdicts', 'cut-verdicts-confirmed'],
    },
    {
      title: 'Verdicts at cut-off nodes within 2 s of release, 8 and 32 nodes, up to 50 s, as shipped',
      op: 'ratio',
      measure: 'cutVerdictsAtRelease',
      of: 'cutVerdicts',
      where: { ...REFERENCE, variant: 'shipped', cutoff: [8, 32], outage: ['24s', '32s', '40s', '50s'] },
      unit: '',
      published: ['cut-verdicts', 'cut-verdicts-at-release'],
    },
    {
      title: 'Grace alone, 8 and 32 nodes, up to 50 s, at most',
      op: 'max',
      measure: 'falseDeaths',
      where: { ...REFERENCE, variant: 'grace', cutoff: [8, 32], outage: ['24s', '32s', '40s', '50s'] },
      unit: 'deaths',
      published: ['grace-at-most'],
    },
    {
      title: 'Grace alone past 63 s, mean',
      op: 'mean',
      measure: 'falseDeaths',
      where: { ...REFERENCE, variant: 'grace', outage: ['65s', '90s', '130s'] },
      unit: 'deaths',
      published: ['grace-useless-past'],
    },
    {
      title: 'Health at creation, 1 node, 65 s, mean',
      op: 'mean',
      measure: 'falseDeaths',
      where: { ...REFERENCE, variant: 'health-at-creation', cutoff: 1, outage: '65s' },
      unit: 'deaths',
      published: ['creation-65-leaks'],
    },
    {
      title: 'Health at firing alone, 32 nodes, 65 s and longer, mean',
      op: 'mean',
      measure: 'falseDeaths',
      where: { ...REFERENCE, variant: 'health-at-firing', cutoff: 32, outage: ['65s', '90s', '130s'] },
      unit: 'deaths',
      published: ['firing-alone'],
    },
    {
      title: 'Both fixes, all outages',
      op: 'sum',
      measure: 'falseDeaths',
      where: { ...REFERENCE, variant: 'both' },
      unit: 'deaths',
      published: ['both', 'both-runs'],
    },
    {
      title: 'No Lifeguard, 1 node, 16 s, mean',
      op: 'mean',
      measure: 'falseDeaths',
      where: { ...REFERENCE, variant: 'no-lifeguard', cutoff: 1, outage: '16s' },
      unit: 'deaths',
      published: ['no-lifeguard-16'],
    },
  ],
  comparisons: onsetAtBothSpeeds(REFERENCE),
  published: published(
    'maximum-suspicion',
    'onset-1-safe',
    'onset-1-failing',
    'onset-8',
    'onset-32',
    'onset-8-simulation',
    'onset-32-simulation',
    'sum-outages',
    'sum-shipped',
    'sum-health-at-creation',
    'cut-verdicts',
    'cut-verdicts-confirmed',
    'cut-verdicts-at-release',
    'grace-at-most',
    'grace-useless-past',
    'creation-65-leaks',
    'firing-alone',
    'both',
    'both-runs',
    'no-lifeguard-16',
  ),
  kills: [
    {
      mutant: 'health-at-firing-timer-only',
      point: { variant: 'health-at-firing', cutoff: 32, outage: '40s' },
      reason: 'Up to 50 s every verdict comes by the instant path, which this mutant leaves unguarded.',
    },
    {
      mutant: 'health-at-firing-confirm-only',
      point: { variant: 'health-at-firing', cutoff: 8, outage: '65s' },
      reason: 'Past 63 s suspicions run out by their own timers during the outage.',
    },
    {
      mutant: 'both-without-grace',
      point: { variant: 'both', cutoff: 32, outage: '130s' },
      reason: 'Long outages let the scaled timeout pass, so that confirmations fire on the spot again.',
    },
    {
      mutant: 'both-without-health',
      point: { variant: 'both', cutoff: 8, outage: '65s' },
      reason: 'The grace does nothing once suspicions run out during the outage.',
    },
    {
      mutant: 'both-health-at-creation',
      point: { variant: 'both', cutoff: 8, outage: '65s' },
      reason: 'The first suspicion of each node is created at a score of 0 and runs out at 63 s.',
    },
  ],
  gate: {
    point: { size: 16, cutoff: 4, outage: '40s', watch: '8s', variant: 'shipped' },
    defect: 'the leak',
    power: {
      shown: 55,
      trials: 55,
      source:
        'trials of 2026-11-30 whose records were not kept; those kept since show it in 10 of 10: run 20261130-071629-1fab (seed 5, 6 trials), and one each of 20261130-094304-0a2c (seed 3365081707), 20261130-104331-6d39 (2080616703), 20261130-211544-e3ff (1787385491) and 20261130-213810-f65a (2602486693)',
    },
  },
  warp: { ceiling: 4, control: 'outage at warp 1' },
  timeBudget: '10m',
  shortestTimeout: '500ms',
};
