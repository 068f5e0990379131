/** Row 8: nobody can be asked for the list, or what there is does not suffice. Every request ends, and nothing comes back without end. */
import { clockIsAhead, NODES_AHEAD } from './clock-offset.ts';
import { type Course, type CourseCode, courseRow } from './course.ts';
import { HEARD, silentBetween } from './darkness.ts';
import { type Answer, type Desk, HOUR_MS, MINUTE_MS } from './desk.ts';
import { published } from './published.ts';

/**
 * Three answers never make the presence that is asked for, so that a refresh of the pool goes through its candidates and
 * fails; the first one, from the one seed, knows no presence. Its delays are minutes, so that leaps lead it.
 */
export const REFRESHES_FAIL = {
  cacheMinPresence: 4,
  retryDelayMs: MINUTE_MS,
  retryDelayMaxMs: MINUTE_MS,
  requestTimeoutMs: 12 * HOUR_MS,
} as const;

/** Rounds of three candidates until fifteen are used up, and one more. */
const ROUNDS = 6;
export const ROUND_ENDED = ['refresh.retried', 'refresh.finished'];

/** From what begins a refresh to its last round, each led by a leap once the one before has ended. */
async function runOut(desk: Desk, begin: () => unknown): Promise<void> {
  await desk.untilTells(ROUND_ENDED, begin);
  for (let round = 0; round < ROUNDS; round += 1)
    await desk.untilTells(ROUND_ENDED, () => desk.leap(MINUTE_MS));
}

/** One request of a client that can fetch nothing, and whether its router is ready all the same. */
const asksWithoutFetcher: CourseCode = async (desk) => {
  desk.begin();
  await desk.countingAwaited(() => desk.sends(1));
  await desk.noteState();
  desk.note('routerReady', Number((await desk.client()).router.ready));
};

/** A request that waits for a refresh, and that goes through all candidates. */
async function sendsWhileItRunsOut(desk: Desk): Promise<void> {
  let sent: Promise<Answer> | undefined;
  await runOut(desk, () => {
    sent = desk.send();
  });
  if (sent) desk.noteAnswers([await sent]);
}

const ENDS: Course['bounds'] = [
  {
    measure: 'hanging',
    op: '=',
    value: 0,
    reason: 'Every request ends, with an answer or an error.',
    brokenBy: ['original'],
  },
  { measure: 'answeredTwice', op: '=', value: 0, reason: 'A callback is called exactly once.' },
  { measure: 'recursed', op: '=', value: 0, reason: 'No callback comes back into itself.' },
];

/** Of what is done within `desk.countingAwaited`. */
const ONE_ASKED: Course['bounds'][number] = {
  measure: 'refreshesAwaited',
  op: '=',
  value: 1,
  reason: 'It asks for one refresh, and never for a second.',
};

/** One seed fails after half a second, and the next attempt begins soon. */
const DARK_SEEDS = {
  requestTimeoutMs: 1000,
  handshakeTimeoutMs: 500,
  retryDelayMs: 100,
  retryDelayMaxMs: 200,
} as const;
/** A handshake has three seconds, so that it is still under way. */
const UNDER_WAY = '500ms';
const seedsSilent = silentBetween('client', 'registry');
const nothingYet: CourseCode = async () => undefined;

export const callbackCourses: Readonly<Record<string, Course>> = {
  'no-candidates': {
    says: 'no pool, and no seed',
    client: { seeds: '', requestTimeoutMs: 1000 },
    unready: true,
    run: async (desk) => {
      desk.begin();
      await desk.countingAwaited(() => desk.sends(1));
      await desk.noteState();
    },
    bounds: [...ENDS, { measure: 'unanswered', op: '=', value: 1, reason: 'The request fails.' }, ONE_ASKED],
    kills: { 'no-candidates-silent': 'the look-up of the swarm waits for ever' },
  },
  'no-fetcher': {
    says: 'no pool, and no way to fetch one; the router finishes its set-up all the same',
    client: { fetcher: 'none', requestTimeoutMs: 1000 },
    unready: true,
    run: asksWithoutFetcher,
    bounds: [
      ...ENDS,
      { measure: 'unanswered', op: '=', value: 1, reason: 'The request fails.' },
      ONE_ASKED,
      {
        measure: 'routerReady',
        op: '=',
        value: 1,
        reason: 'A router that does not finish its set-up is unusable for good.',
        brokenBy: ['original'],
      },
    ],
    kills: {
      'no-fetcher-silent': 'the look-up of the swarm waits for ever',
      'setup-stranded': 'the router never becomes ready',
    },
  },
  'no-fetcher-for-paths': {
    says: 'the same with the router of onion paths',
    client: { fetcher: 'none', requestTimeoutMs: 1000, route: 'onion' },
    unready: true,
    run: asksWithoutFetcher,
    bounds: [
      ...ENDS,
      { measure: 'unanswered', op: '=', value: 1, reason: 'The request fails.' },
      ONE_ASKED,
      {
        measure: 'routerReady',
        op: '=',
        value: 1,
        reason: 'This router finishes its set-up as well.',
        brokenBy: ['original'],
      },
    ],
  },
  suspended: {
    says: 'random nodes are asked for while the pool is suspended',
    run: async (desk) => {
      await desk.command('/suspend');
      await desk.countingAwaited(() => desk.randomNodes(100));
      await desk.noteState();
    },
    bounds: [
      { measure: 'hanging', op: '=', value: 0, reason: 'The caller is answered.', brokenBy: ['original'] },
      { measure: 'randomNodes', op: '=', value: 0, reason: 'With an empty list.' },
      ONE_ASKED,
    ],
    kills: {
      'suspended-silent': 'the caller is never answered',
      'random-nodes-silent': 'the caller is never answered',
    },
  },
  'more-than-there-are': {
    says: 'a hundred random nodes of a healthy pool of fifteen',
    run: async (desk) => {
      await desk.countingAwaited(() => desk.randomNodes(100));
      await desk.noteState();
    },
    bounds: [
      { measure: 'hanging', op: '=', value: 0, reason: 'The caller is answered.', brokenBy: ['original'] },
      { ...ONE_ASKED, brokenBy: ['original'] },
      {
        measure: 'recursed',
        op: '=',
        value: 0,
        reason: 'It does not call itself again.',
        brokenBy: ['original'],
      },
      { measure: 'refreshes', op: '=', value: 0, reason: 'The pool needs none, and says so at once.' },
    ],
    kills: { 'random-nodes-recurse': 'it calls itself until it is stopped' },
  },
  'run-out': {
    says: 'every candidate of a refresh fails, and somebody waits for it',
    client: REFRESHES_FAIL,
    takesS: 20,
    run: async (desk) => {
      let waits: Promise<void> | undefined;
      await runOut(desk, () => {
        waits = desk.refresh();
      });
      await waits;
      await desk.noteState();
    },
    bounds: [
      { measure: 'refreshesFailed', op: '>=', value: 1, reason: 'The candidates are used up.' },
      { measure: 'waiting', op: '=', value: 0, reason: 'Who waited heard that it failed.' },
      { measure: 'poolSize', op: '=', value: 15, reason: 'The pool stays what it was.' },
    ],
    kills: { 'run-out-silent': 'whoever waits goes on waiting' },
  },
  resync: {
    says: 'a node finds the clock wrong, which is set, and again when the pool is too old and cannot be fetched',
    client: REFRESHES_FAIL,
    storage: NODES_AHEAD,
    takesS: 20,
    run: async (desk) => {
      await desk.storm({ redirect: 'none', status: 406 });
      await desk.sends(1);
      await desk.leap(3 * HOUR_MS);
      let sent: Promise<unknown> | undefined;
      await runOut(desk, () =>
        desk.untilTells(['clock.resync-started'], () => {
          sent = desk.sends(1);
        }),
      );
      await sent;
      await desk.noteState();
    },
    bounds: [
      { measure: 'resyncs', op: '=', value: 2, reason: 'Each 406 begins a resync.' },
      {
        measure: 'resyncsEnded',
        op: '=',
        value: 2,
        reason: 'The second clears its id and fails its queue as well.',
      },
      {
        measure: 'resyncAnswers',
        op: '=',
        value: 3,
        reason: 'Three nodes answered the first, and nobody the second.',
      },
      ...clockIsAhead('The second one found nothing out: the offset of the first is kept.'),
      { measure: 'failures', op: '=', value: 2, reason: 'The one request of each queue has ended.' },
      {
        measure: 'resyncRunning',
        op: '=',
        value: 0,
        reason: 'The next one is not refused as one under way.',
      },
    ],
    kills: {
      'resync-stranded': 'it stays in progress, and so does every request behind it',
      'failed-resync-clears-offset': 'the offset of the first is gone',
    },
  },
  'proxy-after-a-failed-refresh': {
    says: 'no proxy, and the pool cannot be fetched',
    client: { ...REFRESHES_FAIL, route: 'proxied', cacheMinSize: 15, strikeThreshold: 1 },
    takesS: 25,
    run: async (desk) => {
      // Every proxy that is tried is out after one 504, until none is left.
      await desk.storm({ redirect: 'none', at: ['relay'], status: 504 });
      for (let turn = 0; turn < 15; turn += 1) await desk.send();
      await desk.calm();
      desk.begin();
      await desk.countingAwaited(() => sendsWhileItRunsOut(desk));
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'insufficient',
        op: '>=',
        value: 1,
        reason: 'The request ends with ERROR_INSUFFICIENT_NODES, and never -1.',
      },
      ONE_ASKED,
    ],
    kills: { 'proxy-failed-minus-one': 'it fails with -1' },
  },
  'lists-that-differ': {
    says: 'a node left the network, and one of fifteen has not heard of it',
    client: { cacheNumNodesToUseForRefresh: 15 },
    takesS: 10,
    run: async (desk) => {
      await desk.launchStorage('storage-15', { lagMs: 12 * HOUR_MS });
      await desk.epoch({ change: 'leave', node: 'storage-1' }, ['storage-15']);
      await desk.refresh();
      await desk.settles();
      await desk.noteState();
    },
    bounds: [
      { measure: 'refreshesDone', op: '=', value: 1, reason: 'All fifteen were asked, and answered.' },
      {
        measure: 'poolSize',
        op: '=',
        value: 14,
        reason: 'One answer of fifteen names it, and two are needed.',
        keptBy: ['original'],
      },
    ],
    kills: { 'any-presence': 'the one node that is behind puts it back into the pool' },
  },
  'small-and-wrong-lists': {
    says: 'the nodes of the list become fewer than a pool must have',
    client: { retryDelayMs: MINUTE_MS, retryDelayMaxMs: MINUTE_MS },
    run: async (desk) => {
      for (const node of ['storage-1', 'storage-2', 'storage-6', 'storage-11'])
        await desk.epoch({ change: 'leave', node });
      await desk.refresh();
      await desk.noteState();
    },
    takesS: 10,
    bounds: [
      {
        measure: 'poolSize',
        op: '=',
        value: 15,
        reason: 'Eleven nodes are fewer than twelve: such an answer replaces nothing.',
      },
    ],
    kills: { 'any-size': 'the pool becomes too small' },
  },
  'seeds-black-holed': {
    says: 'launched without a pool while what it sends to every seed vanishes; two requests',
    client: DARK_SEEDS,
    young: true,
    takesS: 10,
    run: [
      nothingYet,
      seedsSilent,
      async (desk) => {
        await desk.launchWithoutPool();
        desk.begin();
        await desk.countingAwaited(() => desk.sends(2));
        await desk.noteState();
      },
      HEARD,
    ],
    bounds: [
      ...ENDS,
      { measure: 'unanswered', op: '=', value: 2, reason: 'Each request fails once the seeds are used up.' },
      { measure: 'refreshesAwaited', op: '=', value: 2, reason: 'Each request asks for one refresh.' },
      { measure: 'poolSize', op: '=', value: 0, reason: 'No seed was heard.' },
    ],
    kills: { 'waiters-kept': 'the end of the second refresh answers the first request once more' },
  },
  'seeds-black-holed-suspended': {
    says: 'the same, suspended while the list is fetched, asked once more, and resumed; the seeds are heard later',
    client: { requestTimeoutMs: 1000 },
    young: true,
    takesS: 10,
    run: [
      nothingYet,
      seedsSilent,
      async (desk) => {
        await desk.launchWithoutPool();
        desk.begin();
        await desk.countingAwaited(async () => {
          const sent = desk.send();
          sent.catch(() => undefined); // Heard below, unless something fails before.
          await desk.trial.wait(UNDER_WAY);
          await desk.command('/suspend');
          desk.noteAnswers([await sent, await desk.send()]);
        });
        await desk.command('/resume');
        await desk.noteState();
      },
      HEARD,
      async (desk) => {
        desk.note('answeredLater', Number((await desk.send()).ok));
      },
    ],
    bounds: [
      ...ENDS,
      {
        measure: 'unanswered',
        op: '=',
        value: 2,
        reason: 'Who waited for the list hears that there is none, and so does who asks while suspended.',
      },
      { measure: 'refreshesAwaited', op: '=', value: 2, reason: 'Each request asks for one refresh.' },
      { measure: 'waiting', op: '=', value: 0, reason: 'Nobody is forgotten when the refresh is abandoned.' },
      { measure: 'strikes', op: '=', value: 0, reason: 'Our own suspension is no evidence against a seed.' },
      { measure: 'answeredLater', op: '=', value: 1, reason: 'The next request fetches the list.' },
    ],
  },
};

export const callbacks = courseRow({
  name: 'refresh-callbacks',
  description:
    'No candidates, no fetcher, a suspended pool, a refresh that runs out, a count that cannot be met: every request ends, nothing recurses, and who waits is answered once.',
  courses: callbackCourses,
});

const narrow: Readonly<Record<string, Course>> = {
  path: {
    says: 'fifteen usable nodes in one /24, and a path that must not have two in one',
    client: { route: 'onion', requestTimeoutMs: 1000, cacheMinSize: 12 },
    run: async (desk) => {
      await desk.countingAwaited(() => desk.sends(1));
      await desk.noteState();
    },
    bounds: [
      ...ENDS.filter(({ measure }) => measure !== 'hanging' && measure !== 'recursed'),
      { measure: 'hanging', op: '=', value: 0, reason: 'Every request ends, with an answer or an error.' },
      {
        measure: 'recursed',
        op: '=',
        value: 0,
        reason: 'It does not come back into itself.',
        brokenBy: ['original'],
      },
      { ...ONE_ASKED, brokenBy: ['original'] },
      {
        measure: 'insufficient',
        op: '=',
        value: 1,
        reason: 'The path builder fails its queued requests with ERROR_INSUFFICIENT_NODES.',
        brokenBy: ['original'],
      },
      { measure: 'refreshes', op: '=', value: 0, reason: 'The pool is healthy by count.' },
    ],
    kills: {
      'path-recurses': 'the path builder comes back into itself until it is stopped',
      'path-minus-one': 'it fails with -1',
    },
  },
  proxy: {
    says: 'fifteen usable nodes in one /24, and a proxy in another one than the destination',
    client: { route: 'proxied', requestTimeoutMs: 1000, cacheMinSize: 12 },
    run: async (desk) => {
      await desk.countingAwaited(() => desk.sends(1));
      await desk.noteState();
    },
    bounds: [
      ...ENDS.filter(({ measure }) => measure !== 'hanging'),
      { measure: 'hanging', op: '=', value: 0, reason: 'Every request ends, with an answer or an error.' },
      ONE_ASKED,
      {
        measure: 'insufficient',
        op: '=',
        value: 1,
        reason: 'Proxy selection that finds no usable node fails with ERROR_INSUFFICIENT_NODES.',
        brokenBy: ['original'],
      },
    ],
    kills: {
      'proxy-recurses': 'proxy selection comes back into itself until it is stopped',
      'proxy-empty-minus-one': 'it fails with -1',
    },
  },
  'path-after-a-failed-refresh': {
    says: 'the same path, and the pool is too old by now and cannot be fetched',
    client: { ...REFRESHES_FAIL, route: 'onion' },
    takesS: 20,
    run: async (desk) => {
      await desk.leap(3 * HOUR_MS);
      await desk.countingAwaited(() => sendsWhileItRunsOut(desk));
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'refreshesFailed',
        op: '>=',
        value: 1,
        reason: 'The path builder waits for a refresh, and that fails.',
      },
      { measure: 'answeredTwice', op: '=', value: 0, reason: 'The request ends once.' },
      {
        measure: 'insufficient',
        op: '=',
        value: 1,
        reason: 'With ERROR_INSUFFICIENT_NODES, at this site of the path builder too.',
        brokenBy: ['original'],
      },
      ONE_ASKED,
    ],
  },
};

export const oneSubnet = courseRow({
  name: 'one-subnet',
  description:
    'A pool that is healthy by count and whose nodes are all in one /24: no path and no proxy can be had, and the old code asked again without bound.',
  topology: 'session-15-one-subnet',
  courses: narrow,
  aggregates: [
    {
      title:
        'Refreshes that the path builder asked for, original, stopped by a limit of ours; published: before its mock stopped',
      op: 'mean',
      measure: 'refreshesAwaited',
      where: { course: 'path', variant: 'original' },
      unit: 'refreshes',
      published: ['mock-refreshes'],
    },
    {
      title: 'The same with the final client; published: with the fix',
      op: 'mean',
      measure: 'refreshesAwaited',
      where: { course: 'path', variant: 'final' },
      unit: 'refreshes',
      published: ['fixed-refreshes'],
    },
    {
      title:
        'Requests that failed with ERROR_INSUFFICIENT_NODES for want of a path; published: its code, sites, and what it was before',
      op: 'mean',
      measure: 'insufficient',
      where: { course: 'path', variant: 'final' },
      unit: 'requests',
      published: ['insufficient-code', 'sites', 'old-code'],
    },
  ],
  published: published('mock-refreshes', 'fixed-refreshes', 'insufficient-code', 'sites', 'old-code'),
});
