/** Row 7 and the storms, with nodes that are dark, slow or swallow everything while the network changes or others lie. */
import { type Course, courseRow } from './course.ts';
import { HEARD, inFirstSwarm, meets, silent, silentBetween } from './darkness.ts';
import { type Desk, HOUR_MS, MINUTE_MS } from './desk.ts';
import type { Settings } from './launch-settings.ts';

/** A dark node costs a request so long, less than the admin port waits. */
const DIRECT: Settings = { route: 'direct', handshakeTimeoutMs: 2_000, ttlMs: 14 * 24 * HOUR_MS };
const HTTPS_PORT = 22_021;
const OUTAGE_MS = 2 * MINUTE_MS;

/** With 60 requests one of five nodes is asked fewer than three times in two trials of ten thousand. */
const REQUESTS = 60;
const DARK = ['storage-6', 'storage-7'];

/** On a connection that stands a request would wait for longer than the admin port does. */
async function inFirstSwarmUnconnected(desk: Desk): Promise<void> {
  await inFirstSwarm(desk);
  await desk.command('/close');
}

/** The account goes to swarm 2, two of whose five members are not to be reached. */
async function movesToThem(desk: Desk): Promise<void> {
  const [account] = await desk.accounts();
  desk.begin();
  await desk.epoch({ change: 'move', account: account.id, to: '2' }, DARK);
  await desk.sends(REQUESTS);
  await desk.untilForgotten();
  await desk.noteState();
}

const MOVED: Course['bounds'] = [
  { measure: 'followed', op: '>=', value: 1, reason: 'The honest redirect is followed.' },
  {
    measure: 'refreshes',
    op: '=',
    value: 0,
    reason: 'Nodes that do not answer are no reason to fetch the list.',
  },
  {
    measure: 'answered',
    op: '>=',
    value: REQUESTS - 6,
    reason: 'Each of the two fails three requests, and is out then.',
    brokenBy: ['original'],
  },
  {
    measure: 'underWay',
    op: '=',
    value: 0,
    reason: 'Every request ends, with a handshake that takes too long.',
  },
  { measure: 'stranded', op: '=', value: 0, reason: 'None of them was forgotten.' },
];

export const darkCourses: Readonly<Record<string, Course>> = {
  'moved-to-dark-nodes': {
    says: 'the account moves, and two of the five nodes that the redirects name are dark',
    client: DIRECT,
    takesS: 40,
    run: [inFirstSwarmUnconnected, silent('storage[6..7]'), movesToThem, HEARD],
    bounds: MOVED,
  },
  'moved-into-a-black-hole': {
    says: 'the same, and these two take connections and swallow what comes',
    client: DIRECT,
    takesS: 40,
    run: [
      inFirstSwarmUnconnected,
      {
        fault: {
          kind: 'blackhole-stream',
          id: 'silence',
          from: 'client',
          to: 'storage[6..7]',
          ports: [HTTPS_PORT],
        },
      },
      movesToThem,
      // Without the redirect nobody goes there of himself.
      meets('storage-6'),
      HEARD,
    ],
    bounds: MOVED,
  },
  'storm-and-dark-candidates': {
    says: 'every node answers 421 and names nobody, and five of the fifteen that may be asked for the list are dark',
    client: DIRECT,
    takesS: 20,
    run: [
      inFirstSwarm,
      silent('storage[11..15]'),
      async (desk) => {
        desk.begin();
        await desk.storm({ redirect: 'none' });
        await desk.send();
        await desk.settles();
        await desk.calm();
        await desk.untilForgotten();
        await desk.noteState();
      },
      // One that fetches nothing sends to none of the five, and of fifteen candidates the three that are asked may all hear.
      meets('storage-11'),
      HEARD,
    ],
    bounds: [
      {
        measure: 'refreshesDone',
        op: '=',
        value: 1,
        reason: 'A candidate that is silent is followed by the next one, until three have answered.',
        brokenBy: ['original', 'evict-only'],
      },
      { measure: 'poolSize', op: '=', value: 15, reason: 'The dark ones are listed all the same.' },
      { measure: 'underWay', op: '=', value: 0, reason: 'The request ends, once the list has come.' },
      { measure: 'stranded', op: '=', value: 0, reason: 'It was not forgotten.' },
    ],
  },
  'bounce-over-slow-nodes': {
    says: 'groups of nodes send the account to each other, and each packet of theirs is 200 ms on its way',
    client: { route: 'direct' },
    takesS: 25,
    run: [
      async (desk) => desk.begin(),
      { fault: { kind: 'delay', id: 'slow', on: 'storage', delayMs: '100ms' } },
      async (desk) => {
        await desk.storm({ redirect: 'bounce' });
        await desk.sends(6);
        await desk.calm();
        await desk.settles();
        await desk.untilForgotten();
        await desk.noteState();
      },
      { lift: 'slow' },
    ],
    bounds: [
      {
        measure: 'followed',
        op: '=',
        value: 12,
        reason: 'Each request meets two redirects, and none is refused for being repeated.',
        brokenBy: ['original', 'refresh-only'],
      },
      {
        measure: 'refreshes',
        op: '=',
        value: 1,
        reason: 'The limit asks at the ninth, and the throttle grants it once.',
      },
      { measure: 'answeredTwice', op: '=', value: 0, reason: 'Each request has one end.' },
      { measure: 'underWay', op: '=', value: 0, reason: 'And it has one.' },
      { measure: 'stranded', op: '=', value: 0, reason: 'None of them was forgotten.' },
    ],
  },
  'dark-for-two-minutes': {
    says: 'six nodes are dark for two minutes while a client with one path goes on asking, and it is suspended for two days',
    client: { ...DIRECT, route: 'onion', cacheMinSize: 6, strikeThreshold: 1, requestTimeoutMs: 3_000 },
    // A leap in the middle of its first handshakes would strike every edge node that it tries.
    young: true,
    takesS: 170,
    run: [
      async (desk) => {
        await desk.sends(1);
        await desk.age();
        desk.begin();
      },
      silent('storage[1..6]'),
      async (desk) => {
        const endMs = performance.now() + OUTAGE_MS;
        while (performance.now() < endMs) {
          await desk.send();
          await desk.trial.wait('3s');
        }
      },
      HEARD,
      async (desk) => {
        // With a path half built, a leap would strike its edge node anew.
        await desk.command('/suspend');
        await desk.leap(49 * HOUR_MS);
        await desk.untilTells(['path.built'], () => desk.command('/resume'));
        // Before any request: one to a node on the path builds a second path beside it.
        await desk.randomNodes(12);
        await desk.sends(3);
        await desk.settles();
        await desk.untilForgotten();
        await desk.noteState();
      },
    ],
    bounds: [
      { measure: 'struckOut', op: '>=', value: 1, reason: 'Paths over them failed.' },
      {
        measure: 'randomNodes',
        op: '=',
        value: 12,
        reason: 'Three of fifteen are in use; all others can be had again.',
        brokenBy: ['original'],
      },
      {
        measure: 'underWay',
        op: '=',
        value: 0,
        reason: 'Every request ends, in the outage and after the suspension.',
      },
      { measure: 'stranded', op: '=', value: 0, reason: 'None of them was forgotten.' },
    ],
  },
  'still-dead': {
    says: 'one of the account’s five nodes does not hear the client, before and after its 48 hours',
    client: DIRECT,
    takesS: 30,
    run: [
      inFirstSwarm,
      silentBetween('client', 'storage[1]'),
      async (desk) => {
        await desk.sends(REQUESTS);
        await desk.leap(49 * HOUR_MS);
        desk.begin();
        await desk.sends(REQUESTS);
        await desk.noteState();
      },
      HEARD,
    ],
    bounds: [
      {
        measure: 'strikes',
        op: '=',
        value: 3,
        reason: 'It has to fail three times again: all its strikes have expired.',
      },
      { measure: 'struckOut', op: '=', value: 1, reason: 'Then it is out for another 48 hours.' },
      {
        measure: 'failures',
        op: '<=',
        value: 3,
        reason: 'A request at most for each strike; a list fetched from it costs none.',
      },
    ],
  },
};

export const darkNodes = courseRow({
  name: 'dark-nodes',
  description:
    'Nodes that are dark, slow or swallow everything, while accounts move and others answer 421; an outage of two minutes and what a node costs that is dead when it returns.',
  courses: darkCourses,
  aggregates: [
    {
      title: 'Requests that a node which is still dead costs one client on its return after 48 h',
      op: 'mean',
      measure: 'failures',
      where: { course: 'still-dead', variant: 'final' },
      unit: 'requests',
    },
  ],
});
