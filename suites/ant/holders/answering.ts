/** One holder that answers: twelve keys and eight slots. */
import type { CheckSpec, ScenarioSpec } from '../../../harness/index.ts';
import { published } from '../published.ts';
import { guards } from './guards.ts';
import { holderMeasureSpecs } from './measures.ts';
import {
  keysParameter,
  NO_SILENCE,
  slotsParameter,
  stageOf,
  timeoutParameter,
  VARIANTS,
  variantParameter,
} from './points.ts';
import { queueDrained, summarized, wanted } from './steps.ts';

const KEYS = 12;
const WITH_SHARE = ['share', 'share+busy', NO_SILENCE];

const none = (measure: string, title: string, reason: string): CheckSpec => ({
  check: 'measure-bound',
  title,
  kind: 'invariant',
  parameters: { measure, op: '=', value: 0 },
  where: { variant: WITH_SHARE },
  reason,
});

const withinShare: CheckSpec = {
  check: 'measure-bound',
  title: 'never more than two fetches are in flight to the holder',
  kind: 'invariant',
  parameters: { measure: 'mostInFlight', op: '<=', value: 2 },
  reason: 'The holder admits two requests of one peer; it answers, so that nothing is past that share.',
};

export const answeringHolder: ScenarioSpec = {
  name: 'answering-holder',
  description:
    'A requester with eight slots is told of twelve keys that one answering holder has: what it asks for at once, what is dropped, and what that costs.',
  topology: 'ant-rules',
  parameters: {
    variant: variantParameter,
    keys: { ...keysParameter(KEYS), maximum: 16 },
    slots: slotsParameter,
    timeout: timeoutParameter('30s'),
    serve: { type: 'duration', description: 'how long the holder takes for a request', default: '50ms' },
  },
  overrides: (point) => stageOf(point, { holders: 1, holder: { serveMs: Number(point['serve']) } }),
  grids: {
    quick: { description: 'the release, each change, and both', axes: { variant: VARIANTS } },
    gate: {
      description: 'the release must drop requests, the change must not; a fetch timeout of 4 s',
      axes: { variant: ['before', 'share'], timeout: ['4s'] },
      trials: 1,
    },
  },
  defaultGrid: 'quick',
  trials: 3,
  bed: 'reuse',
  phases: [{ name: 'fetch', steps: [wanted('holder-1'), queueDrained, summarized] }],
  measure: ['ant.holder'],
  measures: holderMeasureSpecs,
  plots: [{ title: 'Not yet drained', kind: 'survival', y: 'drainedS', series: 'variant' }],
  checks: [
    withinShare,
    none('drops', 'the holder drops nothing', 'What is within the share is admitted.'),
    none('timeouts', 'no fetch times out', 'Nothing is dropped, and the holder answers.'),
    none('trustPenalties', 'no healthy holder loses trust', 'It has answered all that it was asked.'),
    {
      check: 'measure-bound',
      title: 'every key is stored',
      kind: 'invariant',
      parameters: { measure: 'stored', op: '=', value: KEYS },
      where: { variant: WITH_SHARE, keys: KEYS },
      reason: 'The holder has all of them, and none had to go back to verification.',
    },
    {
      check: 'measure-bound',
      title: 'the release pays a timeout and a trust penalty for each drop',
      kind: 'invariant',
      parameters: { measure: 'dropsUnpaid', op: '=', value: 0 },
      where: { variant: 'before' },
      reason: 'A dropped request gets no answer, so its fetch ends with its timeout and blames the holder.',
    },
    ...guards,
  ],
  expect: [
    {
      where: { variant: ['before', 'busy'] },
      check: withinShare.title,
      outcome: 'fail',
      reason: 'The release starts a fetch in every free slot, whatever the holder’s share.',
    },
  ],
  gate: {
    point: { variant: 'before', timeout: '4s' },
    defect: 'more in flight than the share',
    power: { shown: 6, trials: 6 },
  },
  aggregates: [
    {
      title: 'Most in flight to an answering holder, with the share',
      op: 'max',
      measure: 'mostInFlight',
      where: { variant: 'share' },
      unit: 'fetches',
      published: ['share-in-flight'],
    },
    {
      title: 'Longest wait for the answer to a fetch that was dropped, the release',
      op: 'mean',
      measure: 'timeoutTookS',
      where: { variant: 'before', timeout: '30s' },
      unit: 's',
      published: ['fetch-timeout'],
    },
  ],
  published: published('share-in-flight', 'fetch-timeout'),
  shortestTimeout: '4s',
};
