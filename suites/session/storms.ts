/** Storms as they come and go: in a node's place, on single connections, on a share of requests. */
import { type Course, courseRow } from './course.ts';
import { inFirstSwarm } from './darkness.ts';
import { type Desk, MINUTE_MS } from './desk.ts';
import type { Settings } from './launch-settings.ts';

const DIRECT: Settings = { route: 'direct' };
const HTTPS_PORT = 22_021;
/** Of topologies/session-15-stand-in.yaml: it has the keys of storage-1 to storage-5, at ports 22101 to 22105. */
const STORM = 'storm-1';
const FIRST_PORT = 22_101;

/** Until the client has heard that its connections ended: a request sent over one that is ending fails with it. */
const SEVERED = '500ms';

const STORM_MS = 20 * MINUTE_MS;

const SHARE = 0.3;
const REQUESTS = 60;

/** One of five members in each request: none is left out of so many in more than seven trials of a million. */
const EVERYBODY_MAX = 60;

/** Sends until each member of the account's swarm has answered a request with the storm. */
async function stormsEverywhere(desk: Desk): Promise<void> {
  const [account] = await desk.accounts();
  const { members } = await desk.swarmOf(account.id);
  for (let turn = 0; turn < EVERYBODY_MAX; turn += 1) {
    await desk.send();
    const met = (await desk.storages()).filter(
      ({ name, storm }) => members.includes(name) && storm.answered > 0,
    );
    if (met.length === members.length) return;
  }
}

const courses: Readonly<Record<string, Course>> = {
  'in-its-place': {
    says: 'a proxy before each node of the account’s swarm leads to a storm node with that node’s keys, and back again',
    client: DIRECT,
    takesS: 10,
    run: [
      async (desk) => {
        await inFirstSwarm(desk);
        await desk.sends(10);
        await desk.storm({ redirect: 'none' }, [STORM]);
        desk.begin();
      },
      {
        fault: {
          kind: 'stand-in',
          id: 'impostor',
          from: 'client',
          to: 'storage[1..5]',
          ports: [HTTPS_PORT],
          by: STORM,
          byPort: FIRST_PORT,
        },
      },
      async (desk) => {
        await desk.trial.wait(SEVERED);
        await desk.sends(3);
        desk.note('stormAnswers', await desk.stormAnswers(STORM));
      },
      { lift: 'impostor' },
      async (desk) => {
        await desk.trial.wait(SEVERED);
        for (let turn = 0; turn < 3; turn += 1) desk.note('answeredLater', Number((await desk.send()).ok));
      },
    ],
    bounds: [
      {
        measure: 'unanswered',
        op: '=',
        value: 3,
        reason: 'Whoever stands in has the keys, so that it is believed.',
      },
      {
        measure: 'stormAnswers',
        op: '>=',
        value: 3,
        reason: 'Open connections were severed: every request met the storm.',
      },
      {
        measure: 'refreshes',
        op: '=',
        value: 1,
        reason: 'Nobody is named, so that the first rejection fetches the list, and the next are declined.',
        brokenBy: ['original', 'evict-only'],
      },
      {
        measure: 'strikes',
        op: '=',
        value: 0,
        reason: 'A connection that ends while nothing waits is no evidence.',
      },
      {
        measure: 'answeredLater',
        op: '=',
        value: 3,
        reason: 'Severed again, the client is back with the nodes themselves.',
      },
    ],
  },
  sticky: {
    says: 'a storm is over, and goes on on the connections that met it, until they are closed',
    client: DIRECT,
    takesS: 15,
    run: async (desk) => {
      await desk.storm({ redirect: 'none', sticky: true });
      await stormsEverywhere(desk);
      await desk.calm();
      desk.begin();
      await desk.sends(5);
      await desk.command('/close');
      for (let turn = 0; turn < 5; turn += 1) desk.note('answeredLater', Number((await desk.send()).ok));
    },
    bounds: [
      {
        measure: 'unanswered',
        op: '=',
        value: 5,
        reason: 'Each member was met, and the connection to it is the same.',
        keptBy: ['original'],
      },
      {
        measure: 'answeredLater',
        op: '=',
        value: 5,
        reason: 'A fresh connection is a calm one.',
        keptBy: ['original'],
      },
      { measure: 'strikes', op: '=', value: 0, reason: 'An answer is no failure of a node.' },
    ],
  },
  share: {
    says: 'three requests in ten are answered 421, with a redirect to the swarm that the account is in',
    client: DIRECT,
    takesS: 20,
    run: async (desk) => {
      await desk.storm({ redirect: 'honest', ratio: SHARE });
      await desk.sends(REQUESTS);
      await desk.calm();
      await desk.settles();
      await desk.untilForgotten();
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'stormAnswers',
        op: '>=',
        value: 8,
        reason: 'Of 60 requests; fewer in one trial of ten thousand.',
      },
      {
        measure: 'answered',
        op: '>=',
        value: 44,
        reason: 'Nine in a hundred meet it twice; 17 of 60 do in fewer than one trial of ten thousand.',
      },
      { measure: 'underWay', op: '=', value: 0, reason: 'Every request ends.' },
      { measure: 'stranded', op: '=', value: 0, reason: 'None of them was forgotten.' },
      {
        measure: 'refreshes',
        op: '<=',
        value: 1,
        reason: 'Past the limit each redirect asks; the throttle grants one, and the pool is young then.',
      },
      {
        measure: 'refused',
        op: '=',
        value: 0,
        reason: 'A redirect to the swarm that we are in is followed too.',
      },
    ],
  },
  'for-a-time': {
    says: 'a storm that was ordered for twenty minutes is over by itself, and nobody calms it',
    client: DIRECT,
    run: async (desk) => {
      await desk.storm({ redirect: 'none', forMs: STORM_MS });
      await desk.sends(2);
      await desk.leap(STORM_MS - MINUTE_MS);
      await desk.sends(1);
      desk.note('stormsOn', (await desk.storages()).filter(({ storm }) => storm.on).length);
      await desk.leap(2 * MINUTE_MS);
      for (let turn = 0; turn < 3; turn += 1) desk.note('answeredLater', Number((await desk.send()).ok));
    },
    bounds: [
      {
        measure: 'unanswered',
        op: '=',
        value: 3,
        reason: 'Everybody rejects and names nobody, at once and a minute before the end.',
        keptBy: ['original'],
      },
      {
        measure: 'stormsOn',
        op: '=',
        value: 15,
        reason: 'It goes on at every node until its time is over.',
        keptBy: ['original'],
      },
      {
        measure: 'answeredLater',
        op: '=',
        value: 3,
        reason: 'Its time is over, and the nodes answer as they would.',
        keptBy: ['original'],
      },
      { measure: 'stranded', op: '=', value: 0, reason: 'Every request ends.' },
    ],
  },
};

export const storms = courseRow({
  name: 'storms',
  description:
    'Storms that come into the path by re-pointed proxies, that stick to connections, and that meet a share of requests.',
  topology: 'session-15-stand-in',
  courses,
});
