/** Row 3, its first half: how many redirects of an account ask for nothing, what resets their count, and what they log. */
import type { Course } from './course.ts';
import { type Desk, MINUTE_MS } from './desk.ts';

const LIMIT = 8;
/** Requests whose refresh is declined, each of which may log. */
const THROTTLED = 20;

/** Requests that are each rejected twice, so that each takes two redirects of the account, from swarm to swarm around the ring. */
async function bounced(desk: Desk, requests: number): Promise<void> {
  await desk.storm({ redirect: 'bounce' });
  await desk.sends(requests);
}

/** The same from one to the other of the two swarms that the account is not in; its own sends it to the first of them. */
async function bouncedBetweenTwo(desk: Desk, requests: number): Promise<void> {
  const [account] = await desk.accounts();
  const { swarm: own } = await desk.swarmOf(account.id);
  const nodes = await desk.storages();
  const others = [...new Set(nodes.map(({ swarm }) => swarm))].filter((swarm) => swarm !== own);
  const groups = others.map((other) =>
    nodes.filter(({ swarm }) => swarm === other).map(({ ed25519 }) => ed25519),
  );
  await desk.storm({ redirect: 'bounce', groups });
  await desk.sends(requests);
}

const WITH_ONE_ACCOUNT = { accounts: 1 } as const;

export const limitCourses: Readonly<Record<string, Course>> = {
  bounce: {
    says: 'each swarm sends the account on to the next, around the ring and back to where it is looked for, six requests long',
    client: WITH_ONE_ACCOUNT,
    // Young, so that what is asked for is declined and the count goes on.
    young: true,
    run: async (desk) => {
      await bounced(desk, 6);
      await desk.noteState();
      desk.note('warnings', (await desk.client()).lines.warn);
    },
    bounds: [
      {
        measure: 'followed',
        op: '=',
        value: 12,
        reason: 'Each request meets two redirects, and none is refused for being repeated.',
        brokenBy: ['original', 'refresh-only', 'proposal'],
        keptBy: ['unknown-only'],
      },
      {
        measure: 'followedForLimit',
        op: '=',
        value: 12 - LIMIT,
        reason: 'Eight redirects of an account ask for nothing; each further one asks for a refresh.',
        brokenBy: ['proposal'],
      },
      {
        measure: 'asked',
        op: '=',
        value: 12 - LIMIT,
        reason: 'Each redirect past the limit asks through the throttle.',
      },
      { measure: 'refreshes', op: '=', value: 0, reason: 'The pool is under a minute old.' },
      { measure: 'overridden', op: '=', value: 1, reason: 'The account stays on its latest redirect.' },
      { measure: 'warnings', op: '=', value: 1, reason: 'The limit warns once, at the crossing.' },
      {
        measure: 'refused',
        op: '=',
        value: 0,
        reason: 'Refusing one only guarantees that the request fails.',
      },
      {
        measure: 'refusedAsCalculated',
        op: '=',
        value: 0,
        reason: 'The third is the swarm that the pool says, which is no reason to refuse it.',
        brokenBy: ['proposal'],
      },
    ],
    kills: {
      'limit-refuses': 'the ninth redirect is refused and the override erased',
      'limit-asks-nothing': 'no refresh is asked for, however long it bounces',
      'limit-warns-always': 'each redirect past the limit warns',
    },
  },
  'two-groups': {
    says: 'two groups of nodes send the account to each other, and it is in neither, four requests long',
    client: WITH_ONE_ACCOUNT,
    young: true,
    run: async (desk) => {
      await bouncedBetweenTwo(desk, LIMIT / 2);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'followed',
        op: '=',
        value: LIMIT,
        reason: 'Each request meets two redirects, and none is refused for being one of many.',
        brokenBy: ['original', 'refresh-only', 'proposal'],
        keptBy: ['unknown-only'],
      },
      {
        measure: 'refusedForLimit',
        op: '=',
        value: 0,
        reason: 'The limit never refuses; the old one did so after three in a row.',
        brokenBy: ['proposal'],
      },
      {
        measure: 'overridden',
        op: '=',
        value: 1,
        reason: 'The account stays on its latest redirect; the old limit erased it.',
        brokenBy: ['proposal'],
      },
      { measure: 'asked', op: '=', value: 0, reason: 'Eight redirects of an account ask for nothing.' },
      { measure: 'refreshes', op: '=', value: 0, reason: 'The pool is under a minute old.' },
    ],
  },
  'answers-between': {
    says: 'requests that are answered between the redirects do not count for anything',
    young: true,
    run: async (desk) => {
      for (let round = 0; round < 3; round += 1) {
        // Two redirects, and when it is over a third, back from where they led.
        await desk.storm({ redirect: 'bounce' });
        await desk.sends(1);
        await desk.calm();
        await desk.sends(2);
      }
      await desk.noteState();
    },
    bounds: [
      { measure: 'followed', op: '=', value: 9, reason: 'Three redirects in each of three rounds.' },
      {
        measure: 'followedForLimit',
        op: '=',
        value: 1,
        reason: 'Nothing but a refresh resets the count, so that the ninth redirect is past the limit.',
      },
      {
        measure: 'answered',
        op: '=',
        value: 6,
        reason: 'When it is over, requests are answered where the redirect led.',
      },
    ],
    kills: { 'count-reset-by-answers': 'no round is past the limit' },
  },
  'lines-while-throttled': {
    says: 'two known nodes and two unknown ones, request after request, while the refresh that they ask for is declined',
    young: true,
    takesS: 10,
    run: async (desk) => {
      await desk.storm({ redirect: 'partly-unknown', count: 4 });
      await desk.sends(THROTTLED);
      await desk.noteState();
      const { lines } = await desk.client();
      desk.note('warnings', lines.warn);
      desk.note('infoLines', lines.info);
    },
    bounds: [
      {
        measure: 'warnings',
        op: '=',
        value: 2 * THROTTLED + 1,
        reason: 'One for each of two rejections of a request, and one at the crossing of the limit.',
        brokenBy: ['unknown-warns-once'],
      },
      {
        measure: 'infoLines',
        op: '=',
        value: 0,
        reason: 'Redirects that are followed and refreshes that are declined log at debug.',
        brokenBy: ['proposal'],
      },
      { measure: 'unanswered', op: '=', value: THROTTLED, reason: 'Nobody answers.' },
      { measure: 'refreshes', op: '=', value: 0, reason: 'The pool is under a minute old.' },
    ],
  },
  'two-accounts': {
    says: 'what one account was redirected does not count for another',
    client: { accounts: 2 },
    young: true,
    run: async (desk) => {
      const [first, second] = await desk.accounts();
      await desk.storm({ redirect: 'bounce' });
      await desk.sends(4, { account: first.id });
      await desk.sends(4, second ? { account: second.id } : {});
      await desk.noteState();
    },
    bounds: [
      { measure: 'followed', op: '=', value: 16, reason: 'Each of eight requests meets two redirects.' },
      { measure: 'followedForLimit', op: '=', value: 0, reason: 'Neither account is past its eight.' },
    ],
    kills: { 'count-for-all': 'the second account is past the limit with its first redirect' },
  },
  'a-refresh-between': {
    says: 'a refresh sets the count back to nothing',
    run: async (desk) => {
      await bounced(desk, 4);
      await desk.refresh();
      await desk.sends(4);
      await desk.noteState();
    },
    bounds: [
      { measure: 'followed', op: '=', value: 16, reason: 'Each of eight requests meets two redirects.' },
      {
        measure: 'followedForLimit',
        op: '=',
        value: 0,
        reason: 'Eight before the refresh and eight after it.',
      },
    ],
    kills: { 'counts-outlive-refresh': 'the first redirect after the refresh is past the limit' },
  },
  'limit-on-an-old-pool': {
    says: 'a bounce past the limit while a refresh may run: it runs once, and the count begins anew',
    run: async (desk) => {
      await bounced(desk, LIMIT / 2);
      // Its two redirects are the ninth, which asks, and one that comes before the new pool does or after it.
      await desk.sends(1);
      await desk.settles();
      await desk.sends(3);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'followed',
        op: '=',
        value: LIMIT + 2 + 6,
        reason: 'Each request meets two redirects, and none is refused for the limit.',
        brokenBy: ['original', 'refresh-only', 'proposal'],
      },
      {
        measure: 'refreshes',
        op: '=',
        value: 1,
        reason: 'The limit asks for a refresh, and the pool is old enough for one.',
        brokenBy: ['original'],
      },
      {
        measure: 'followedForLimit',
        op: '>=',
        value: 1,
        reason: 'It is the ninth redirect that asked.',
        brokenBy: ['proposal'],
      },
      {
        measure: 'followedForLimit',
        op: '<=',
        value: 2,
        reason:
          'The refresh that it had sets the count back: the six or seven after it are not past the limit.',
        brokenBy: ['counts-outlive-refresh'],
      },
    ],
  },
  'three-hundred': {
    says: 'a bounce without end while the pool cannot be fetched anew: the count saturates',
    young: true,
    takesS: 30,
    run: async (desk) => {
      await bounced(desk, 132);
      await desk.noteState();
    },
    bounds: [
      { measure: 'followed', op: '=', value: 264, reason: 'Each of 132 requests meets two redirects.' },
      {
        measure: 'followedForLimit',
        op: '=',
        value: 264 - LIMIT,
        reason: 'Past the limit every redirect asks, for as long as no refresh runs.',
      },
    ],
    kills: { 'count-wraps': 'at 256 the count begins anew' },
    client: { cacheMinPresence: 4, rejectionIntervalMs: 60 * MINUTE_MS },
  },
};
