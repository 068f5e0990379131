/** Row 7, first half: nodes that fail are out, and back when their strikes are 48 hours old. */
import { type Course, courseRow } from './course.ts';
import { type Desk, HOUR_MS, MINUTE_MS } from './desk.ts';
import { published } from './published.ts';

/** One past the 48 hours of a strike. */
const EXPIRED_MS = 49 * HOUR_MS;

/** Before and after the first strike is 48 hours old, and the last. */
const LOOKS_AT_HOURS = [47, 49, 87, 89];

/** Each request strikes the proxy that it goes through, so that who is struck is known. */
const PROXIED = { route: 'proxied', cacheMinSize: 6, strikeThreshold: 1, ttlMs: 14 * 24 * HOUR_MS } as const;

/** What a two-minute outage of relays leaves behind: so many proxies are out. */
async function outage(desk: Desk, requests: number): Promise<void> {
  await desk.storm({ redirect: 'none', at: ['relay'], status: 504 });
  for (let turn = 0; turn < requests; turn += 1) await desk.send();
  await desk.leap(2 * MINUTE_MS);
  await desk.calm();
}

/** Two days later, with the pool that the first look-up of the third has fetched. */
async function twoDaysLater(desk: Desk): Promise<void> {
  await desk.leap(EXPIRED_MS);
  await desk.send();
  await desk.settles();
  await desk.leap(MINUTE_MS);
}

export const strikeCourses: Readonly<Record<string, Course>> = {
  'back-in-paths': {
    says: 'three proxies struck out in a two-minute outage, and two days (incident 41)',
    client: PROXIED,
    run: async (desk) => {
      await outage(desk, 3);
      await twoDaysLater(desk);
      await desk.randomNodes(13);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'struckOut',
        op: '=',
        value: 3,
        reason: 'Each request struck the proxy that it went through.',
      },
      {
        measure: 'randomNodes',
        op: '=',
        value: 13,
        reason: 'Of fifteen nodes one is the proxy in use; the three that were out are back.',
        brokenBy: ['original', 'evict-only'],
      },
    ],
    kills: { 'raw-unused': 'get_unused_nodes counts strikes that have expired' },
  },
  'out-until-then': {
    says: 'the same, and 47 hours',
    client: PROXIED,
    run: async (desk) => {
      await outage(desk, 3);
      await desk.leap(47 * HOUR_MS);
      await desk.send();
      await desk.settles();
      await desk.noteStruck();
      await desk.randomNodes(13);
    },
    bounds: [
      { measure: 'struckNodes', op: '=', value: 3, reason: 'Their strikes are not 48 hours old.' },
      { measure: 'randomNodes', op: '=', value: 0, reason: 'Thirteen cannot be had of twelve.' },
    ],
  },
  counted: {
    says: 'what node_strike_count says of them two days later',
    client: PROXIED,
    run: async (desk) => {
      await outage(desk, 3);
      await desk.leap(EXPIRED_MS);
      await desk.noteStruck();
    },
    bounds: [
      {
        measure: 'struckNodes',
        op: '=',
        value: 0,
        reason: 'Expired strikes do not count.',
        // Here the old client honoured the 48 hours.
        keptBy: ['original'],
      },
    ],
    kills: { 'raw-count': 'it counts them' },
  },
  usable: {
    says: 'whether the pool is short of usable nodes two days later',
    client: { ...PROXIED, cacheMinSize: 13 },
    run: async (desk) => {
      await outage(desk, 3);
      await twoDaysLater(desk);
      desk.begin();
      for (let turn = 0; turn < 3; turn += 1) {
        await desk.send();
        await desk.leap(MINUTE_MS);
      }
      await desk.settles();
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'refreshes',
        op: '=',
        value: 0,
        reason: 'All fifteen are usable, so that nothing is to be fetched.',
        brokenBy: ['original'],
      },
    ],
    kills: { 'raw-usable': 'the pool looks short of nodes and is fetched again and again' },
  },
  'back-in-the-swarm': {
    says: 'every node was struck out, and two days later requests for one account',
    client: PROXIED,
    takesS: 20,
    run: async (desk) => {
      await outage(desk, 20);
      await twoDaysLater(desk);
      const [account] = await desk.accounts();
      const before = await desk.askedFor(account);
      for (let turn = 0; turn < 60; turn += 1) await desk.send();
      const after = await desk.askedFor(account);
      desk.note('reached', after.filter((count, index) => count > (before[index] ?? 0)).length);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'reached',
        op: '=',
        value: 5,
        reason:
          'All five members are asked again; with 60 requests one is left out in six of a million trials.',
        brokenBy: ['original'],
      },
    ],
    kills: { 'raw-swarm': 'get_swarm gives three of five, the least that it may' },
  },
  pruned: {
    says: 'another outage two days later',
    client: PROXIED,
    takesS: 15,
    run: async (desk) => {
      await outage(desk, 3);
      await twoDaysLater(desk);
      // Thirteen others than the destination: one at least of the three of before.
      await outage(desk, 13);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'pruned',
        op: '>=',
        value: 1,
        reason: 'A node’s expired strikes go when it collects a new one.',
        brokenBy: ['original'],
      },
    ],
    kills: { 'unbounded-strikes': 'the list of each node grows without bound' },
  },
  'threshold-three': {
    says: 'two nodes failed somebody, one of them twice and one three times',
    client: { route: 'proxied', cacheMinSize: 6 },
    run: async (desk) => {
      await desk.post('/strike', { node: 'storage-1', times: 2 }, {});
      await desk.post('/strike', { node: 'storage-2', times: 3 }, {});
      await desk.randomNodes(14);
      await desk.randomNodes(15);
    },
    bounds: [
      { measure: 'struckOut', op: '=', value: 1, reason: 'Out with as many strikes as the threshold.' },
      {
        measure: 'randomNodes',
        op: '=',
        value: 14,
        reason:
          'A node with two strikes is still picked; with a third it is not, so that fifteen cannot be had.',
        keptBy: ['original'],
      },
    ],
  },
  'threshold-nought': {
    says: 'a threshold of 0, and nobody has failed',
    client: { ...PROXIED, strikeThreshold: 0 },
    run: async (desk) => {
      await desk.randomNodes(13);
      await desk.sends(1);
    },
    bounds: [
      {
        measure: 'randomNodes',
        op: '=',
        value: 13,
        reason: 'At 0 a node is out on its first strike, and not before.',
        // Its comparison was bare, and made of nodes that had failed only.
        keptBy: ['original'],
      },
      { measure: 'answered', op: '=', value: 1, reason: 'There is a proxy.' },
    ],
    kills: { 'bare-threshold': 'every node is out' },
  },
  'gone-for-good': {
    says: 'a threshold of 0, and relays say that the destination is no node any more',
    client: { ...PROXIED, strikeThreshold: 0 },
    takesS: 10,
    run: async (desk) => {
      const [account] = await desk.accounts();
      const { members } = await desk.swarmOf(account.id);
      for (const node of members.slice(0, 4)) await desk.epoch({ change: 'leave', node });
      for (let turn = 0; turn < 12; turn += 1) await desk.send();
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'struckOut',
        op: '>=',
        value: 1,
        reason: 'A permanent failure records max(1, threshold) strikes.',
        brokenBy: ['original'],
      },
    ],
    kills: { 'zero-iterations': 'a permanent failure records nothing' },
  },
  'one-by-one': {
    says: 'a node failed somebody three times, at 0, 20 and 40 hours',
    client: { route: 'proxied', cacheMinSize: 6, ttlMs: 14 * 24 * HOUR_MS },
    takesS: 20,
    run: async (desk) => {
      let hours = 0;
      const passTo = async (then: number): Promise<void> => {
        await desk.leap((then - hours) * HOUR_MS);
        hours = then;
        await desk.refresh();
      };
      for (const at of [0, 20, 40]) {
        await passTo(at);
        await fails(desk);
      }
      let outHours = 0;
      for (const look of LOOKS_AT_HOURS) {
        await passTo(look);
        if (await haveAll(desk)) break;
        outHours = look;
      }
      desk.note('outHours', outHours);
      for (let failures = 1; failures <= 3; failures += 1) {
        await fails(desk);
        if (await haveAll(desk)) continue;
        desk.note('strikesAgain', failures);
        break;
      }
    },
    bounds: [
      {
        measure: 'outHours',
        op: '=',
        value: 47,
        reason:
          'Each strike counts for its own 48 hours: at the look at 49 the first is over, and two are too few. Counted from the last, it would be 87, and never forgotten 89, the last look of all.',
        brokenBy: ['original'],
      },
      {
        measure: 'strikesAgain',
        op: '=',
        value: 1,
        reason: 'Two of them still count, so that the node is struck out again on first use.',
      },
    ],
  },
};

const fails = (desk: Desk): Promise<unknown> => desk.post('/strike', { node: 'storage-1' }, {});

/** Whether all fifteen nodes can be had; one that is out cannot. */
const haveAll = async (desk: Desk): Promise<boolean> => (await desk.askForRandomNodes(15)) === 15;

export const strikes = courseRow({
  name: 'strikes',
  description:
    'Nodes struck out in an outage of two minutes come back 48 hours after their last strike, at every place that decides; a threshold of 0 drops a node on its first strike and not before.',
  courses: strikeCourses,
  aggregates: [
    {
      title:
        'Random nodes had of thirteen, two days after an outage; published: expiry of a strike, and the outage',
      op: 'mean',
      measure: 'randomNodes',
      where: { course: 'back-in-paths', variant: 'final' },
      unit: 'nodes',
      published: ['strike-expiry', 'outage'],
    },
    {
      title:
        'Random nodes had of fourteen and of fifteen, with one node at two strikes and one at three; published: the threshold',
      op: 'mean',
      measure: 'randomNodes',
      where: { course: 'threshold-three', variant: 'final' },
      unit: 'nodes',
      published: ['strike-threshold'],
    },
  ],
  published: published('strike-expiry', 'outage', 'strike-threshold'),
});
