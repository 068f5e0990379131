/** Row 8, second half: suspend and close in the middle of things. */
import { REFRESHES_FAIL, ROUND_ENDED } from './callbacks.ts';
import { type Course, type CourseCode, courseRow } from './course.ts';
import { type Desk, MINUTE_MS } from './desk.ts';
import { published } from './published.ts';

/** A refresh fails round by round, a minute apart at first. */
const ROUNDS_FAIL = {
  ...REFRESHES_FAIL,
  retryDelayMaxMs: 4 * MINUTE_MS,
  rejectionIntervalMs: MINUTE_MS,
} as const;

/** Long enough for what must not go over sockets. */
const SOCKETS = '1s';

/** A refresh is under way and its first round has failed. */
const midRefresh = (desk: Desk): Promise<void> => desk.untilTells(ROUND_ENDED, () => void desk.refresh());

/** Clocks leap, and the round that begins by that has ended. */
const leapsARound = (desk: Desk, ms: number): Promise<void> =>
  desk.untilTells(ROUND_ENDED, () => desk.leap(ms));

/** What is done over a standing path, and counted from there on. */
const overAPath = (act: CourseCode): Pick<Course, 'client' | 'run'> => ({
  client: { route: 'onion', cacheMinSize: 6 },
  run: async (desk) => {
    await desk.sends(1);
    desk.begin();
    await act(desk);
    await desk.noteState();
  },
});

const PATH_LET_GO: Course['bounds'] = [
  {
    measure: 'pathsFailed',
    op: '=',
    value: 0,
    reason: 'The router let go of its paths before their connections ended.',
  },
  {
    measure: 'strikes',
    op: '=',
    value: 0,
    reason: 'Our own close is no evidence against a node.',
    brokenBy: ['original'],
  },
];
const PATH_FAILS = 'the live router takes the close for the failure of its path, and strikes its relays';

const courses: Readonly<Record<string, Course>> = {
  'abandons-its-refresh': {
    says: 'suspended in the middle of a refresh, for ten minutes',
    client: ROUNDS_FAIL,
    takesS: 10,
    run: async (desk) => {
      await midRefresh(desk);
      await desk.command('/suspend');
      desk.begin();
      for (let minute = 0; minute < 10; minute += 1) {
        await desk.leap(MINUTE_MS);
        await desk.trial.wait('50ms');
      }
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'retriedFetches',
        op: '=',
        value: 0,
        reason: 'Nothing is under way while suspended; the old refresh worked through its candidates.',
        brokenBy: ['original'],
      },
      { measure: 'waiting', op: '=', value: 0, reason: 'Who waited heard false.' },
      {
        measure: 'strikes',
        op: '=',
        value: 0,
        reason:
          'Our own suspension is no evidence against a node. No variant breaks this one: a list that was not had strikes nobody in any.',
      },
    ],
    kills: { 'refresh-outlives-suspend': 'it goes on from candidate to candidate' },
  },
  'begins-nothing-on-resume': {
    says: 'suspended in the middle of a refresh, and resumed',
    client: ROUNDS_FAIL,
    run: async (desk) => {
      await midRefresh(desk);
      await desk.command('/suspend');
      desk.begin();
      await desk.command('/resume');
      await desk.trial.wait(SOCKETS);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'refreshes',
        op: '=',
        value: 0,
        reason: 'The next refresh comes from whoever asks for one.',
      },
    ],
    kills: { 'refresh-restarts': 'the refresh starts itself again' },
  },
  'begins-with-the-first-delay': {
    says: 'failures from before do not slow down what comes after',
    client: ROUNDS_FAIL,
    run: async (desk) => {
      await midRefresh(desk);
      await leapsARound(desk, MINUTE_MS);
      await desk.command('/suspend');
      await desk.command('/resume');
      desk.begin();
      await midRefresh(desk);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'firstDelayMs',
        op: '=',
        value: MINUTE_MS,
        reason: 'The first delay is the initial one.',
      },
    ],
    kills: { 'failures-outlive-suspend': 'the first delay is four times as long' },
  },
  'late-fetch': {
    says: 'a retry of the abandoned refresh comes while a newer one is under way',
    client: ROUNDS_FAIL,
    run: async (desk) => {
      await midRefresh(desk);
      await desk.leap(MINUTE_MS / 2);
      await desk.command('/suspend');
      await desk.command('/resume');
      const before = (await desk.client()).pool.refreshes.requests;
      await midRefresh(desk);
      // The old one's retry is due now, the new one's in half a minute.
      await desk.leap((MINUTE_MS * 2) / 3);
      await desk.trial.wait(SOCKETS);
      desk.note('fetches', (await desk.client()).pool.refreshes.requests - before);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'fetches',
        op: '=',
        value: 3,
        reason: 'The newer refresh has asked its three nodes, and nobody else took candidates of it.',
      },
    ],
    kills: { 'late-fetch-steals': 'the late retry takes three of its candidates' },
  },
  'late-restart': {
    says: 'the abandoned refresh had run out, and its restart comes while a newer one is under way',
    client: ROUNDS_FAIL,
    takesS: 15,
    run: async (desk) => {
      await midRefresh(desk);
      for (let round = 0; round < 6 && (await desk.client()).pool.refreshes.failed === 0; round += 1)
        await leapsARound(desk, 4 * MINUTE_MS);
      await desk.leap(2 * MINUTE_MS);
      await desk.command('/suspend');
      await desk.command('/resume');
      desk.begin();
      await midRefresh(desk);
      await desk.leap(2.5 * MINUTE_MS);
      await desk.trial.wait(SOCKETS);
      await desk.noteState();
    },
    bounds: [
      { measure: 'refreshes', op: '=', value: 1, reason: 'The newer refresh goes on, and is the only one.' },
    ],
    kills: { 'late-restart-wipes': 'the late restart puts another refresh in its place' },
  },
  'keeps-the-step': {
    says: 'a refresh for a rejection is abandoned, and the next rejection comes within the minute',
    client: ROUNDS_FAIL,
    run: async (desk) => {
      await desk.storm({ redirect: 'none' });
      await desk.untilTells(ROUND_ENDED, () => void desk.send());
      await desk.command('/suspend');
      await desk.command('/resume');
      desk.begin();
      await desk.sends(1);
      await desk.noteState();
    },
    bounds: [
      { measure: 'declined', op: '=', value: 1, reason: 'It has stepped the backoff already.' },
      { measure: 'refreshes', op: '=', value: 0, reason: 'The next one may begin a minute after it.' },
    ],
    kills: { 'abandoned-resets-step': 'a second refresh begins at once' },
  },
  'ends-at-once': {
    says: 'suspended over a standing path; requests are refused until it resumes',
    ...overAPath(async (desk) => {
      await desk.command('/suspend');
      await desk.sends(2);
      await desk.command('/resume');
      await desk.sends(1);
    }),
    bounds: [
      { measure: 'refusedBySuspension', op: '=', value: 2, reason: 'The network itself refuses, at once.' },
      {
        measure: 'suspendedErrors',
        op: '=',
        value: 2,
        reason: 'With ERROR_NETWORK_SUSPENDED; it was -1 with the guard inverted.',
        brokenBy: ['original'],
      },
      ...PATH_LET_GO,
      { measure: 'answered', op: '=', value: 1, reason: 'It comes back.' },
    ],
    kills: {
      'sends-while-suspended': 'requests reach the router',
      'transport-suspends-first': PATH_FAILS,
    },
  },
  twice: {
    says: 'suspended twice, and not resumed',
    ...overAPath(async (desk) => {
      await desk.command('/suspend');
      await desk.command('/suspend');
      await desk.sends(1);
    }),
    bounds: [
      {
        measure: 'closes',
        op: '=',
        value: 1,
        reason: 'The first suspend closes the connections, the second does nothing.',
        brokenBy: ['original'],
      },
    ],
    kills: { 'inverted-guard': 'suspending sets no flag, and closes each time' },
  },
  'closed-over-a-path': {
    says: 'connections are closed from outside over a standing path',
    ...overAPath(async (desk) => {
      await desk.command('/close');
      await desk.sends(1);
    }),
    bounds: [...PATH_LET_GO, { measure: 'answered', op: '=', value: 1, reason: 'A new path is built.' }],
    kills: { 'transport-closes-first': PATH_FAILS },
  },
  'run-out-before': {
    says: 'suspended when its refresh has run out of candidates, and resumed until long after it would have begun anew',
    client: ROUNDS_FAIL,
    takesS: 15,
    run: async (desk) => {
      await midRefresh(desk);
      desk.begin();
      for (let round = 0; round < 6 && (await desk.client()).pool.refreshes.failed === 0; round += 1)
        await leapsARound(desk, 4 * MINUTE_MS);
      await desk.command('/suspend');
      await desk.command('/resume');
      await desk.leap(2 * 4 * MINUTE_MS);
      await desk.trial.wait(SOCKETS);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'refreshesFailed',
        op: '=',
        value: 1,
        reason: 'It had run out when the client was suspended.',
      },
      {
        measure: 'refreshes',
        op: '=',
        value: 0,
        reason: 'What ran out before is gone; the next refresh comes from whoever asks for one.',
        brokenBy: ['original'],
      },
      { measure: 'waiting', op: '=', value: 0, reason: 'Nobody waits for it.' },
    ],
  },
  'after-a-longer-quiet': {
    says: 'a refresh for a rejection is abandoned, another begins after twice the interval, and a third a minute after that',
    client: ROUNDS_FAIL,
    takesS: 15,
    run: async (desk) => {
      await desk.storm({ redirect: 'none' });
      await abandonsARefresh(desk);
      desk.begin();
      await desk.leap(2 * MINUTE_MS);
      await abandonsARefresh(desk);
      await desk.leap(MINUTE_MS);
      await abandonsARefresh(desk);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'refreshes',
        op: '=',
        value: 2,
        reason:
          'After quiet of twice the interval it is a minute again; with the step of before it would be two.',
        brokenBy: ['never-immediate-again'],
      },
      { measure: 'declined', op: '=', value: 0, reason: 'Each rejection came when a refresh might begin.' },
    ],
  },
};

/** A rejection begins a refresh, and the client is suspended and resumed in the middle of it. */
async function abandonsARefresh(desk: Desk): Promise<void> {
  await desk.untilTells(ROUND_ENDED, () => void desk.send());
  await desk.command('/suspend');
  await desk.command('/resume');
}

export const suspend = courseRow({
  name: 'suspend-and-close',
  description:
    'Suspended or closed in the middle of a refresh or over a standing path: nothing goes on, nobody is struck, who waits is answered once, and nothing of it reaches into what comes after.',
  courses,
  aggregates: [
    {
      title:
        'Fetches tried again while suspended for ten minutes, original; published: for how long, in how many chains, how far apart at most',
      op: 'mean',
      measure: 'retriedFetches',
      where: { course: 'abandons-its-refresh', variant: 'original' },
      unit: 'fetches',
      published: ['suspended-retries', 'suspended-chains', 'retry-delay-cap'],
    },
    {
      title: 'The same with the final client',
      op: 'mean',
      measure: 'retriedFetches',
      where: { course: 'abandons-its-refresh', variant: 'final' },
      unit: 'fetches',
    },
  ],
  published: published('suspended-retries', 'suspended-chains', 'retry-delay-cap'),
});
