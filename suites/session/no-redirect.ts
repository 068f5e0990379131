/** Row 2: a node that rejects everything and says nothing else; what its client fetches for it. */
import { type Course, courseRow } from './course.ts';
import { type Desk, MINUTE_MS } from './desk.ts';
import { refreshesOverTime } from './plots.ts';
import { published } from './published.ts';

const NODES = 15;
const ASKED = 3;
const RECORD_BYTES = 51;

/** Requests at these minutes, all of them rejected without a name. */
async function rejectedAt(desk: Desk, minutes: readonly number[]): Promise<void> {
  await desk.storm({ redirect: 'none' });
  let atMinute = 0;
  for (const minute of minutes) {
    if (minute > atMinute) await desk.leap((minute - atMinute) * MINUTE_MS);
    atMinute = minute;
    await desk.sends(1);
    await desk.settles();
  }
}

const EACH_MINUTE = Array.from({ length: 120 }, (_, minute) => minute);
/** Each refresh of the doubling backoff, and a rejection or more within each of its intervals. */
const TWO_HOURS = [0, 1, 2, 3, 4, 6, 7, 8, 12, 15, 16, 24, 31, 32, 48, 62, 63, 64, 90, 119];

const courses: Readonly<Record<string, Course>> = {
  'two-hours': {
    says: 'a client that goes on asking for two hours',
    takesS: 30,
    run: async (desk) => {
      await rejectedAt(desk, TWO_HOURS);
      await desk.noteState();
      desk.note('infoLines', (await desk.client()).lines.info);
    },
    bounds: [
      {
        measure: 'refreshes',
        op: '=',
        value: 7,
        reason:
          'At once, then 1, 2, 4, 8, 16 and 32 minutes after the one before: minutes 0, 1, 3, 7, 15, 31, 63.',
        brokenBy: ['original', 'evict-only'],
        keptBy: ['refresh-only'],
      },
      {
        measure: 'refreshBytes',
        op: '=',
        value: 7 * ASKED * NODES * RECORD_BYTES,
        reason: 'Each refresh asks three nodes for 51 bytes a node.',
        keptBy: ['refresh-only'],
      },
      {
        measure: 'answered',
        op: '=',
        value: 0,
        reason: 'Nobody answers, and a request that cannot be resolved anew fails.',
        keptBy: ['original', 'evict-only', 'refresh-only'],
      },
      {
        measure: 'infoLines',
        op: '=',
        value: 0,
        reason: 'Declined refreshes log at debug.',
        brokenBy: ['loud-redirects'],
      },
    ],
    kills: {
      'age-driven': 'no rejection refreshes a young pool',
      'every-minute': 'a refresh for each minute with a rejection',
      'double-when-declined': 'rejections that refresh nothing lengthen the interval',
    },
  },
  'each-minute': {
    says: 'the same with a rejection in every minute of the two hours',
    takesS: 120,
    run: async (desk) => {
      await rejectedAt(desk, EACH_MINUTE);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'refreshes',
        op: '=',
        value: 7,
        reason:
          'However many rejections there are: minutes 0, 1, 3, 7, 15, 31, 63. One a minute would be 120.',
        brokenBy: ['every-minute'],
      },
      {
        measure: 'refreshBytes',
        op: '=',
        value: 7 * ASKED * NODES * RECORD_BYTES,
        reason: 'Each refresh asks three nodes for 51 bytes a node.',
        brokenBy: ['every-minute'],
      },
      {
        measure: 'declined',
        op: '=',
        value: 120,
        reason:
          'The 113 others, and the second rejection of each of the seven requests that a refresh sent again.',
      },
    ],
  },
  cap: {
    says: 'past the seventh refresh the interval is two hours and no more',
    takesS: 15,
    run: async (desk) => {
      await rejectedAt(desk, [0, 1, 3, 7, 15, 31, 63, 127]);
      // Or the pool would be refreshed for its age at the same moment.
      await desk.leap(60 * MINUTE_MS);
      await desk.refresh();
      await desk.leap(61 * MINUTE_MS);
      desk.begin();
      await desk.sends(1);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'refreshes',
        op: '=',
        value: 1,
        reason:
          'The interval after the eighth would be 128 minutes and is capped at the 120 of cache_expiration.',
      },
    ],
    kills: { uncapped: 'the ninth refresh has to wait for 128 minutes' },
  },
  quiet: {
    says: 'after quiet of twice the interval a rejection begins anew',
    run: async (desk) => {
      await rejectedAt(desk, [0, 1, 6, 7]);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'refreshes',
        op: '=',
        value: 4,
        reason: 'After five minutes without a rejection the interval is a minute again.',
      },
    ],
    kills: { 'never-immediate-again': 'the interval is still four minutes at the seventh' },
  },
  unresolved: {
    says: 'no usable redirect and a declined refresh: the request fails and says so, and is not sent there again',
    young: true,
    run: async (desk) => {
      await desk.storm({ redirect: 'none' });
      await desk.sends(3);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'stormAnswers',
        op: '=',
        value: 3,
        reason: 'A retry could only go back to the swarm that rejected it.',
        brokenBy: ['original', 'evict-only'],
      },
      { measure: 'declined', op: '=', value: 3, reason: 'The pool is under a minute old.' },
      { measure: 'refreshes', op: '=', value: 0, reason: 'The pool is under a minute old.' },
      { measure: 'rejected', op: '=', value: 3, reason: 'The error is the 421.' },
    ],
    kills: {
      'retry-unresolved': 'each request goes to a second node of the swarm that rejected it',
      'refresh-young-pool': 'the pool is fetched again although it was just fetched',
    },
  },
};

export const noRedirect = courseRow({
  name: 'no-usable-redirect',
  description:
    'Nodes answer 421 and name nobody: one refresh, then the doubling backoff. Bytes of node lists are counted; time passes by leaps of all clocks.',
  courses,
  plots: [refreshesOverTime('two-hours')],
  aggregates: [
    {
      title: 'Refreshes in two hours of rejections; published: a handful, at 0, 1, 2, 4 … minutes',
      op: 'mean',
      measure: 'refreshes',
      where: { course: 'two-hours', variant: 'final' },
      unit: 'refreshes',
      published: ['handful', 'backoff', 'young', 'quiet', 'cache-expiration'],
    },
    {
      title: 'Bytes of node lists in two hours of rejections, 15 nodes; published: bytes of a record',
      op: 'mean',
      measure: 'refreshBytes',
      where: { course: 'two-hours', variant: 'final' },
      unit: 'bytes',
      published: ['record-bytes'],
    },
    ...(['final', 'every-minute'] as const).map((variant) => ({
      title: `Refreshes in two hours with a rejection in each minute, ${variant}`,
      op: 'mean' as const,
      measure: 'refreshes',
      where: { course: 'each-minute', variant },
      unit: 'refreshes',
    })),
  ],
  published: published('handful', 'backoff', 'young', 'quiet', 'cache-expiration', 'record-bytes'),
});
