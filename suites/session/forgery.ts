/** Row 6: a relay forges what only the destination may say. */
import { clockIsAhead, NODES_AHEAD } from './clock-offset.ts';
import { type Course, courseRow } from './course.ts';
import type { Desk } from './desk.ts';

const ACTING = [421, 406, 425];

/** Fifteen nodes less those of a path or two are fewer than the twelve of a usable pool. */
/** A path is given up with its third failure; a destination that lies on one path is reached by another, or by a third. */
const BLAMED = 7;
const ONION = { route: 'onion', cacheMinSize: 6 } as const;
const PROXIED = { route: 'proxied', cacheMinSize: 6 } as const;

/** Every relay answers in plain text, once with each status. */
async function forged(desk: Desk): Promise<void> {
  for (const status of ACTING) {
    await desk.storm({ redirect: 'honest', at: ['relay'], status });
    await desk.sends(1);
  }
  await desk.calm();
  await desk.sends(1);
  await desk.settles();
  await desk.noteState();
}

/** What holds whichever way the request went. */
const FORGED: Course['bounds'] = [
  {
    measure: 'unauthenticated',
    op: '=',
    value: ACTING.length,
    reason: 'Only an answer that decrypts is the destination’s: 421, 406 and 425 have an error of their own.',
    brokenBy: ['original'],
  },
  {
    measure: 'saysStatus',
    op: '=',
    value: ACTING.length,
    reason: 'The message carries the status that was sent.',
  },
  { measure: 'refreshes', op: '=', value: 0, reason: 'A relay must not make its clients fetch the list.' },
  {
    measure: 'resyncs',
    op: '=',
    value: 0,
    reason: 'Nor set their clocks.',
    brokenBy: ['original'],
  },
  {
    measure: 'followed',
    op: '=',
    value: 0,
    reason:
      'Nor send them to nodes of its choice. No variant breaks this one: none reads nodes from what does not decrypt.',
  },
  { measure: 'answered', op: '=', value: 1, reason: 'When it is over, requests are answered.' },
];

/** A real 421 by the destination, over the route that the course has. */
async function moved(desk: Desk): Promise<void> {
  const [account] = await desk.accounts();
  await desk.moveAccount(account);
  await desk.sends(2);
  await desk.noteState();
}

const MOVED: Course['bounds'] = [
  { measure: 'followed', op: '=', value: 1, reason: 'The destination says it, so that it acts.' },
  { measure: 'answered', op: '=', value: 2, reason: 'The redirect is taken.' },
  { measure: 'refreshes', op: '=', value: 0, reason: 'No list is fetched.' },
];

/** The destination of a path finds our clock wrong, or that behind a proxy does, and says so in what only we can read. */
const clockWrong = (status: 406 | 425, over: 'path' | 'proxy' = 'path'): Course => ({
  says: `an encrypted ${status} over a ${over}`,
  client: over === 'path' ? ONION : PROXIED,
  storage: NODES_AHEAD,
  run: async (desk) => {
    await desk.storm({ redirect: 'none', at: ['onion'], status });
    await desk.sends(1);
    await desk.calm();
    await desk.sends(1);
    await desk.noteState();
  },
  bounds: [
    { measure: 'resyncs', op: '=', value: 1, reason: 'The destination says it, so that the clock is set.' },
    { measure: 'resyncsEnded', op: '=', value: 1, reason: 'It does not stay under way.' },
    {
      measure: 'resyncAnswers',
      op: '=',
      value: 3,
      reason: 'Three nodes are asked for the time, and answer.',
    },
    ...clockIsAhead('All nodes are 20 s ahead of the client, less or more by half the way of an answer.'),
    { measure: 'unauthenticated', op: '=', value: 0, reason: 'It decrypts, and keeps its own status.' },
    { measure: 'stormAnswers', op: '=', value: 1, reason: 'It was met, once.' },
    { measure: 'refreshes', op: '=', value: 0, reason: 'A wrong clock is no reason to fetch the list.' },
    { measure: 'strikes', op: '=', value: 0, reason: 'Neither the node nor the path is to blame.' },
    { measure: 'answered', op: '=', value: 1, reason: 'When it is over, requests are answered.' },
  ],
});

export const forgeryCourses: Readonly<Record<string, Course>> = {
  'onion-forged': {
    says: 'a relay of a path',
    client: ONION,
    run: forged,
    bounds: [
      ...FORGED,
      { measure: 'pathsFailed', op: '=', value: 0, reason: 'The error of its own blames no path.' },
    ],
    kills: {
      'onion-plaintext-acts': 'plain text refreshes the pool and sets the clock',
      'sent-status-lost': 'the message no longer says what was sent',
    },
  },
  'proxied-forged': {
    says: 'the one proxy',
    client: PROXIED,
    run: forged,
    bounds: FORGED,
    kills: { 'proxied-plaintext-acts': 'plain text refreshes the pool and sets the clock' },
  },
  'onion-moved': { says: 'an encrypted 421 over a path', client: ONION, run: moved, bounds: MOVED },
  'proxied-moved': { says: 'an encrypted 421 through a proxy', client: PROXIED, run: moved, bounds: MOVED },
  'direct-moved': {
    says: 'a 421 of the node itself',
    client: { route: 'direct' },
    run: moved,
    bounds: MOVED,
    kills: { 'direct-unauthenticated': 'the node’s own word counts for nothing' },
  },
  'tunnel-moved': {
    says: 'a 421 through a tunnel',
    client: { route: 'tunnel' },
    run: moved,
    bounds: MOVED,
    kills: { 'tunnel-unauthenticated': 'the node’s own word counts for nothing' },
  },
  'other-statuses': {
    says: 'relays answer 504: that is about the path, and stays so',
    client: ONION,
    run: async (desk) => {
      await desk.storm({ redirect: 'honest', at: ['relay'], status: 504 });
      await desk.sends(BLAMED);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'timeouts',
        op: '=',
        value: BLAMED,
        reason: 'Every other status passes unchanged.',
        keptBy: ['original'],
      },
      {
        measure: 'pathsFailed',
        op: '>=',
        value: 1,
        reason: 'And still drives the failure of the path.',
        keptBy: ['original'],
      },
    ],
    kills: { 'all-unauthenticated': 'the path is never given up' },
  },
  'unlisted-status': {
    says: 'four encrypted 421s through one path (incident 43)',
    client: ONION,
    run: async (desk) => {
      await desk.storm({ redirect: 'none', at: ['onion'] });
      await desk.sends(4);
      await desk.settles();
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'strikes',
        op: '=',
        value: 0,
        reason: 'Relays that carried a 421 are innocent.',
        brokenBy: ['original'],
      },
      {
        measure: 'pathsFailed',
        op: '=',
        value: 0,
        reason: 'A status that is not listed says nothing about the path.',
        brokenBy: ['original'],
      },
      { measure: 'rejected', op: '=', value: 4, reason: 'The 421s arrived.' },
    ],
    kills: { 'unlisted-blames-path': 'the path is given up and its three relays are struck' },
  },
  'onion-406': {
    ...clockWrong(406),
    kills: {
      'none-needed-false':
        'a pool that needs no refresh is taken for one that could not be had, and nobody is asked for the time',
    },
  },
  'onion-425': clockWrong(425),
  'proxied-406': clockWrong(406, 'proxy'),
  'proxied-425': clockWrong(425, 'proxy'),
};

export const forgery = courseRow({
  name: 'forged-by-a-relay',
  description:
    '421, 406 and 425 in plain text from a relay refresh nothing, resync nothing and have an error of their own; the real, encrypted one still acts, on every route.',
  courses: forgeryCourses,
});
