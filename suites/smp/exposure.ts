/** What each variant costs in privacy: to how many of ten proxies it shows a destination while none of them can forward. */
import type { AggregateSpec, ScenarioSpec } from '../../harness/index.ts';
import { bedOverrides, blackHole, proxiesParameter, variantParameter } from './bed.ts';
import {
  choiceMeasureSpecs,
  exposedTo,
  firstPickWasP1,
  guards,
  ofTheNew,
  retryMeasureSpecs,
  warpUpTo,
} from './checks.ts';
import { NEW, VARIANTS } from './points.ts';
import { FIRST_PICK_P1 } from './seeds.ts';
import { appJoins, begin } from './steps.ts';

const CAP = 14;

export const exposure: ScenarioSpec = {
  name: 'exposure',
  onlyWhenNamed: true,
  description:
    'Ten proxies, none of which can forward; a user joins a link and taps Retry fourteen times. How many proxies learn of the destination, with each variant and option.',
  topology: 'smp-ten-proxies',
  parameters: {
    variant: variantParameter,
    proxies: { ...proxiesParameter, default: 10 },
    watch: { type: 'duration', description: 'how long the course is watched', default: '15m' },
  },
  overrides: (point) => ({
    ...bedOverrides(point),
    settings: { app: { retries: CAP, retryOnErrorMs: 1_000 } },
  }),
  grids: { quick: { description: 'every variant and option', axes: { variant: VARIANTS } } },
  defaultGrid: 'quick',
  trials: 10,
  bed: 'reuse',
  seedWhere: FIRST_PICK_P1,
  phases: [
    begin,
    {
      name: 'fault',
      steps: [{ name: 'no proxy can forward', fault: blackHole('proxy'), background: true }],
    },
    {
      name: 'recovery',
      steps: [
        appJoins,
        {
          name: 'until its user has given up',
          until: { predicate: 'smp.join-over', parameters: { cap: CAP } },
          within: '${watch}',
          orElse: 'continue',
        },
      ],
    },
  ],
  measure: ['smp.choice', 'smp.connect'],
  measures: [
    ...choiceMeasureSpecs,
    ...retryMeasureSpecs,
    { name: 'joinFailures', title: 'Failed attempts', unit: 'failures' },
  ],
  plots: [{ title: 'One trial', kind: 'timeline', y: 'proxy.exposed' }],
  checks: [
    exposedTo(1, 'The old agent keeps its choice; what that costs its user is the other rows’ subject.', {
      variant: 'master',
    }),
    exposedTo(
      8,
      'A proxy is forgotten at its second failure at the earliest, so that fifteen attempts meet eight proxies at most: limiting that is what the streak is for.',
      ofTheNew,
    ),
    {
      check: 'measure-bound',
      title: 'the choice moved',
      kind: 'guard',
      parameters: { measure: 'exposedProxies', op: '>=', value: 2 },
      where: { variant: NEW },
      reason:
        'An agent that stays with its first proxy for eight minutes of failures has no streak to measure.',
    },
    {
      check: 'measure-bound',
      title: 'all attempts failed',
      kind: 'guard',
      parameters: { measure: 'joinFailures', op: '=', value: CAP + 1 },
      reason: 'Variants are compared over the same number of attempts.',
    },
    firstPickWasP1,
    ...guards,
  ],
  aggregates: VARIANTS.map(
    (variant): AggregateSpec => ({
      title: `Distinct proxies of ten that learnt of the destination in fifteen failed attempts, ${variant}, mean`,
      op: 'mean',
      measure: 'exposedProxies',
      where: { variant },
      unit: 'proxies',
    }),
  ),
  warp: warpUpTo(8, 'exposure'),
  shortestTimeout: '1s',
};
