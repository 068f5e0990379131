/** Row 1: one account moves, and the nodes of its old swarm say where to. */
import { type Course, courseRow } from './course.ts';
import { type Desk, HOUR_MS, MINUTE_MS } from './desk.ts';
import { redirectGraph } from './plots.ts';
import { published } from './published.ts';

/** Another key has the same swarm by chance, one time in three. */
const ROUNDS = 5;

const BEFORE = ['original', 'evict-only'];

/** So old is the pool when the account moves, past the minute in which no rejection refreshes it. */
const OLD_AT_MOVE = 2;
/** Minutes since the move: the pool is two hours old between the last two. */
const ASKED_AT = [0, 30, 60, 117, 119];

/** Asks for the account at these minutes, and notes after how many hours it was answered first and from then on. */
async function askUntilPoolIsOld(desk: Desk): Promise<void> {
  const [account] = await desk.accounts();
  await desk.leap(OLD_AT_MOVE * MINUTE_MS);
  desk.begin();
  const { members } = await desk.swarmOf(account.id);
  const askedThere = async (): Promise<number> => await desk.askedAt(members, account);
  const before = await askedThere();
  await desk.moveAccount(account);
  let [atMinute, stuckMs] = [0, 0];
  for (const [turn, minute] of ASKED_AT.entries()) {
    if (minute > atMinute) await desk.leap((minute - atMinute) * MINUTE_MS);
    atMinute = minute;
    const { ok } = await desk.send();
    await desk.settles();
    const last = turn === ASKED_AT.length - 1;
    desk.note(last ? 'answeredLater' : 'answered', Number(ok));
    if (!ok) stuckMs = (ASKED_AT[turn + 1] ?? minute) * MINUTE_MS;
  }
  desk.note('stuckHours', stuckMs / HOUR_MS);
  desk.note('askedOld', (await askedThere()) - before);
  await desk.noteState();
}

export const moveCourses: Readonly<Record<string, Course>> = {
  honest: {
    says: 'three requests after the move',
    run: async (desk) => {
      const [account] = await desk.accounts();
      await desk.moveAccount(account);
      await desk.sends(3);
      await desk.noteState();
      desk.note('infoLines', (await desk.client()).lines.info);
    },
    bounds: [
      {
        measure: 'answered',
        op: '=',
        value: 3,
        reason:
          'The first request is sent once more to the swarm that was named, the others go there at once.',
        brokenBy: BEFORE,
        keptBy: ['proposal', 'unknown-only', 'refresh-only'],
      },
      {
        measure: 'retries',
        op: '=',
        value: 1,
        reason: 'One extra request at most: the override is remembered.',
        brokenBy: BEFORE,
      },
      {
        measure: 'refreshes',
        op: '=',
        value: 0,
        reason:
          'The redirect is the primary path, so that a swarm change does not have its clients fetch the list.',
        brokenBy: ['refresh-only'],
      },
      { measure: 'followed', op: '=', value: 1, reason: 'One redirect puts the account right.' },
      { measure: 'impureMemos', op: '=', value: 0, reason: 'The memo stays what the pool says.' },
      { measure: 'namedIds', op: '=', value: 0, reason: 'A redirect names members, not an id.' },
      {
        measure: 'infoLines',
        op: '=',
        value: 0,
        reason: 'Accepted redirects log at debug.',
      },
    ],
    kills: {
      'no-redirects': 'the list is fetched instead',
      'no-retry': 'the first request fails',
      'overrides-in-memo': 'the redirect is written where only the calculation belongs',
      'override-calculated-id': 'look-ups answer the old swarm’s id',
      'loud-redirects': 'the redirect logs at info',
    },
  },
  'until-the-pool-is-old': {
    says: 'requests over the two hours after the move, until the pool is fetched for its age (incident 38)',
    young: true,
    takesS: 10,
    run: askUntilPoolIsOld,
    bounds: [
      {
        measure: 'answered',
        op: '=',
        value: ASKED_AT.length - 1,
        reason: 'The account is used all the time, by its redirect or with the pool that was fetched for it.',
        brokenBy: BEFORE,
        keptBy: ['proposal', 'unknown-only', 'refresh-only'],
      },
      {
        measure: 'stuckHours',
        op: '=',
        value: 0,
        reason:
          'The pool is 119 minutes old at the last request but one, and no request has to wait for its age.',
        brokenBy: BEFORE,
      },
      {
        measure: 'askedOld',
        op: '=',
        value: 1,
        reason: 'It answers the first request with where to; nobody has anything to ask there afterwards.',
        brokenBy: BEFORE,
        keptBy: ['proposal', 'unknown-only'],
      },
      {
        measure: 'answeredLater',
        op: '=',
        value: 1,
        reason: 'Past two hours the pool is fetched for its age, which is what puts the old client right.',
        keptBy: BEFORE,
      },
    ],
  },
  'sibling-of-the-rejecting-node': {
    says: 'whoever resolves the rejecting node’s key instead of the account’s asks an unrelated swarm (incident 39)',
    run: async (desk) => {
      await desk.storm({ redirect: 'other-swarm' });
      for (let turn = 0; turn < ROUNDS; turn += 1) {
        await desk.sends(1);
        await desk.refresh();
      }
      await desk.calm();
      const [account] = await desk.accounts();
      await desk.moveAccount(account);
      await desk.noteSwarm(account);
      await desk.sends(1);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'retries',
        op: '=',
        value: ROUNDS + 1,
        reason: 'Each request is sent once more, and so is the one after a real move.',
      },
      {
        measure: 'retriedOutside',
        op: '=',
        value: 0,
        reason: 'After a real move it goes to a node of the swarm that the list now has for the account.',
      },
      {
        measure: 'strayRetries',
        op: '=',
        value: 0,
        reason: 'A retry goes to a node of the swarm that was named for the account.',
      },
    ],
    kills: { 'retry-resolves-node': 'the retry goes to the swarm of another key' },
  },
  'false-addresses': {
    says: 'the 421 names the right keys at addresses where nobody is',
    client: { requestTimeoutMs: 1000, handshakeTimeoutMs: 500 },
    run: async (desk) => {
      await desk.storm({ redirect: 'false-addresses', count: 5 }, await swarmNodesOf(desk));
      await desk.sends(1);
      await desk.calm();
      await desk.sends(1);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'followed',
        op: '>=',
        value: 1,
        reason: 'The keys are known, whatever stands beside them.',
      },
      {
        measure: 'strikes',
        op: '=',
        value: 0,
        reason: 'Nobody was asked at an address that a 421 made up.',
      },
      { measure: 'stormAnswers', op: '>=', value: 1, reason: 'The storm was met.' },
    ],
    kills: { 'body-address': 'the retry goes to the address in the body, and strikes a node that is well' },
  },
  'refresh-after-a-move': {
    says: 'a move and then a refresh: what was corrected is gone with the pool that was wrong',
    takesS: 10,
    run: async (desk) => {
      const [account] = await desk.accounts();
      await desk.moveAccount(account);
      await desk.sends(1);
      await desk.refresh();
      await desk.noteState();
    },
    bounds: [
      { measure: 'followed', op: '=', value: 1, reason: 'The account was redirected once.' },
      {
        measure: 'overridden',
        op: '=',
        value: 0,
        reason: 'A refresh drops every override that it was correcting.',
      },
    ],
    kills: { 'overrides-outlive-refresh': 'the override stays' },
  },
  'every-look-up': {
    says: 'calculated, cached and overridden look-ups each check the age of the pool',
    run: async (desk) => {
      const [account] = await desk.accounts();
      const before = (await desk.client()).pool.ageChecks;
      await desk.sends(2);
      await desk.moveAccount(account);
      await desk.sends(2);
      await desk.noteState();
      desk.note('ageChecks', (await desk.client()).pool.ageChecks - before);
    },
    bounds: [
      {
        measure: 'ageChecks',
        op: '=',
        value: 5,
        reason: 'Four requests and one retry look the swarm up, and each look-up checks once.',
        brokenBy: BEFORE,
      },
    ],
    kills: { 'age-checked-when-calculated': 'only the first look-up of a pool checks' },
  },
};

export const moves = courseRow({
  name: 'one-account-moves',
  description:
    'An account moves to another swarm; its old one answers 421 with an honest redirect. The pool is past its first minute and far from its two hours, so that no refresh means that the redirect was taken.',
  courses: moveCourses,
  plots: [redirectGraph],
  aggregates: [
    {
      title: 'Extra requests for an account that moved; published: one or two redirects an account',
      op: 'max',
      measure: 'retries',
      where: { course: 'honest', variant: 'final' },
      unit: 'requests',
      published: ['ordinary-redirects'],
    },
    ...(['original', 'final'] as const).map((variant) => ({
      title: `Hours after the move until the account can be used, asked for at minutes ${ASKED_AT.join(', ')}, ${variant}; published: up to two`,
      op: 'mean' as const,
      measure: 'stuckHours',
      where: { course: 'until-the-pool-is-old', variant },
      unit: 'h',
      published: ['stuck-for'],
    })),
  ],
  published: published('ordinary-redirects', 'stuck-for'),
});

async function swarmNodesOf(desk: Desk): Promise<readonly string[]> {
  const [account] = await desk.accounts();
  return (await desk.swarmOf(account.id)).members;
}
