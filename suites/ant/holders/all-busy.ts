/** Every holder answers busy: how often they are asked. */
import {
  type AggregateSpec,
  askNode,
  type MeasurePredicate,
  type RecordedEvent,
  registerMeasure,
  type ScenarioSpec,
} from '../../../harness/index.ts';
import { published } from '../published.ts';
import { labKeys } from '../rules/trial-lab.ts';
import { guards } from './guards.ts';
import { timeoutParameter } from './points.ts';

const HOLDERS = ['holder-1', 'holder-2', 'holder-3'];
const SLOTS = 8;
/** What a holder draws, so that cooldowns are 2, 4, 8 and 16 s. */
const WAIT_MS = 2_000;
/** In fetch timeouts: cooldowns of up to the longest timeout have grown past it by then, none waited for longer than it. */
const SETTLED = 3;
const WATCHED = 6;
const TIMEOUTS_S = [3, 5, 10];
const BOTH = ['busy', 'share+busy'];

/** Cooldown of a busy answer in the waits that its holder drew, which the document lets grow to eight. */
const cooldownWaits = ({ fields }: RecordedEvent): number =>
  Number(fields['cooldownLeftMs']) / Number(fields['waitMs']);

/** Busy answers that came in a slot in a fetch timeout, over the watch that follows the growth of cooldowns. */
export const busyRateMeasures: MeasurePredicate = ({ point }, events) => {
  const timeoutMs = Number(point['timeout']);
  const wanted = events.find(({ event, node }) => event === 'keys.wanted' && node === 'harness');
  if (!wanted)
    return { busyAnswers: null, perSlotAndTimeout: null, longestCooldownWaits: null, stored: null };
  const sinceMs = ({ atNs }: { readonly atNs: number }): number => (atNs - wanted.atNs) / 1e6;
  const answers = events.filter((one) => one.event === 'source.busy' && sinceMs(one) >= 0);
  const settled = answers.filter(
    (one) => sinceMs(one) >= SETTLED * timeoutMs && sinceMs(one) < (SETTLED + WATCHED) * timeoutMs,
  );
  return {
    busyAnswers: answers.length,
    perSlotAndTimeout: settled.length / SLOTS / WATCHED,
    longestCooldownWaits: answers.length === 0 ? null : Math.max(...answers.map(cooldownWaits)),
    stored: events.filter((one) => one.event === 'chunk.stored' && one.node === 'joiner-1').length,
  };
};

registerMeasure('ant.busy-rate', busyRateMeasures);

export const allBusy: ScenarioSpec = {
  name: 'all-busy',
  description:
    'Three holders answer busy to everything, for nine fetch timeouts of 3, 5 and 10 s: how many requests each slot makes, when the wait keeps its slot and when the key asks the next holder at once.',
  topology: 'ant-rules',
  parameters: {
    variant: {
      type: 'choice',
      description: 'busy answers alone, or with the share',
      default: 'share+busy',
      choices: BOTH,
    },
    timeout: timeoutParameter('5s'),
    rotate: {
      type: 'boolean',
      description: 'a busy answer ends its attempt at once, and the key asks the next holder',
      default: false,
    },
  },
  overrides: ({ variant, rotate, timeout }) => ({
    variant: String(variant),
    settings: {
      joiner: {
        incumbents: HOLDERS.join(','),
        closeGroupSize: 3,
        fetchConcurrency: SLOTS,
        fetchTimeoutMs: Number(timeout),
        verificationRetryMs: 1_000,
        rotateOnBusy: rotate === true,
      },
    },
  }),
  grids: {
    quick: {
      description: 'with and without rotating retries, with the share and without, over fetch timeouts',
      axes: { variant: BOTH, rotate: [false, true], timeout: TIMEOUTS_S.map((seconds) => `${seconds}s`) },
    },
  },
  defaultGrid: 'quick',
  trials: 1,
  bed: 'reuse',
  phases: [
    {
      name: 'fetch',
      steps: [
        {
          name: 'all holders are busy, and all keys are wanted',
          takes: () => '1s',
          run: async (trial) => {
            const keys = labKeys();
            for (const holder of HOLDERS)
              await askNode(trial, holder, 'POST', '/treat', { keys, as: 'busy', waitMs: WAIT_MS });
            trial.emit('keys.wanted', { keys: keys.length, holders: HOLDERS });
            await askNode(trial, 'joiner-1', 'POST', '/want', { keys, sources: HOLDERS });
          },
        },
        {
          name: 'they stay busy',
          takes: ({ timeout }) => `${(SETTLED + WATCHED) * Number(timeout)}ms`,
          run: (trial) => trial.wait(`${(SETTLED + WATCHED) * Number(trial.point['timeout'])}ms`),
        },
      ],
    },
  ],
  measure: ['ant.busy-rate'],
  measures: [
    { name: 'perSlotAndTimeout', title: 'Requests of a slot in a fetch timeout', unit: 'requests' },
    { name: 'longestCooldownWaits', title: 'Longest cooldown of a holder, in drawn waits', unit: 'waits' },
    { name: 'busyAnswers', title: 'Busy answers in all', unit: 'answers' },
    { name: 'stored', title: 'Chunks stored', unit: 'chunks' },
  ],
  checks: [
    {
      check: 'measure-bound',
      title: 'a slot makes about one request in a fetch timeout',
      kind: 'invariant',
      parameters: { measure: 'perSlotAndTimeout', op: '<=', value: 1.5 },
      where: { rotate: false },
      reason:
        'A busy answer keeps its slot until the cooldown or the attempt’s timeout is over; the half is for waits that the first cooldowns cut short.',
    },
    {
      check: 'measure-bound',
      title: 'with rotating retries it makes many more',
      kind: 'invariant',
      parameters: { measure: 'perSlotAndTimeout', op: '>=', value: 3 },
      where: { rotate: true },
      reason: 'One request a round trip, until the key has asked all and goes back to verification.',
    },
    ...guards,
  ],
  aggregates: [
    ...[false, true].flatMap((rotate) => TIMEOUTS_S.map((seconds) => rate(rotate, seconds))),
    {
      title: 'Longest cooldown of a busy holder, in drawn waits',
      op: 'max',
      measure: 'longestCooldownWaits',
      where: { variant: 'share+busy', rotate: false },
      unit: 'waits',
      published: ['busy-growth'],
    },
  ],
  published: published('busy-growth', 'busy-rotation'),
  shortestTimeout: '3s',
};

/** The document gives the trade-off for any fetch timeout, not for its default alone. */
function rate(rotate: boolean, seconds: number): AggregateSpec {
  return {
    title: `Requests of a slot in a fetch timeout of ${seconds} s, all holders busy${rotate ? ', with rotating retries' : ''}`,
    op: 'mean',
    measure: 'perSlotAndTimeout',
    where: { variant: 'share+busy', rotate, timeout: `${seconds}s` },
    unit: 'requests',
    published: ['busy-rotation'],
  };
}
