/** Row 7, second half: what a client keeps from launch to launch, and the edge node that loses its role on strikes and in rotation. */
import { type Course, courseRow } from './course.ts';
import { CLIENT, type Desk, HOUR_MS, MINUTE_MS } from './desk.ts';
import type { Settings } from './launch-settings.ts';
import { published } from './published.ts';

const DAY_MS = 24 * HOUR_MS;

/** One path, so that there is one edge node; a pool of fifteen less those in use is fewer than twelve. */
const ONION: Settings = {
  route: 'onion',
  pathCount: 1,
  cacheMinSize: 6,
  strikeThreshold: 1,
  ttlMs: 14 * DAY_MS,
};

/** The leap that rotates a path must not be taken for the time that its successor needs. */
const ROTATION_MS = 30 * MINUTE_MS;
const ROTATING: Settings = { ...ONION, pathRotationMs: ROTATION_MS, infoTimeoutMs: HOUR_MS };

/** Another node has the role by chance one time in twelve or so, and four times of six in two trials of a thousand at most. */
const RESUMES = 6;

/** How many requests a proxy that is drawn anew for each may need until it is the one that fails. */
const DRAWS_MAX = 200;

/** The client begins with an empty folder of its own, and its first path stands. */
async function launchWithFolder(desk: Desk): Promise<void> {
  const folder = `/tmp/session-client-${desk.trial.seed}-${process.hrtime.bigint()}`;
  desk.keep('folder', folder);
  await desk.launchClient({ cacheDir: folder });
}

/** The client is launched again on the same folder, with the settings of the launch before but for these. */
async function launchAgain(desk: Desk, settings: Settings = {}): Promise<void> {
  await desk.launchClient({ cacheDir: desk.kept<string>('folder'), ...settings });
}

/** First hop of its one path, once there is one. */
async function edgeOf(desk: Desk): Promise<string> {
  await desk.holds('the client has a path', async () => (await firstHop(desk)) !== undefined);
  return (await firstHop(desk)) as string;
}

async function firstHop(desk: Desk): Promise<string | undefined> {
  return (await desk.client()).router.paths?.[0]?.nodes[0];
}

/** A launch over proxies, in which that node answers 504 until it is out; nothing else fails. */
async function strikeOut(desk: Desk, node: string): Promise<void> {
  await launchAgain(desk, { route: 'proxied' });
  await desk.storm({ redirect: 'none', at: ['relay'], status: 504 }, [node]);
  for (let draw = 0; draw < DRAWS_MAX; draw += 1) {
    await desk.send();
    if ((await desk.client()).pool.strikes[node]) break;
    await desk.command('/close');
  }
  await desk.calm();
}

/** Suspends and resumes, and notes how often the new path begins with that node. */
async function noteResumes(desk: Desk, edge: string, resumes = RESUMES): Promise<void> {
  for (let turn = 0; turn < resumes; turn += 1) {
    await desk.command('/suspend');
    await desk.command('/resume');
    desk.note('edgeKept', Number((await edgeOf(desk)) === edge));
  }
}

export const edgeCourses: Readonly<Record<string, Course>> = {
  'kept-for-nine-days': {
    says: 'launched three times within nine days, and resumed six times after each launch',
    client: ONION,
    takesS: 20,
    run: async (desk) => {
      await launchWithFolder(desk);
      const edge = await edgeOf(desk);
      for (const days of [1, 3, 5]) {
        await desk.command('/suspend');
        await desk.leap(days * DAY_MS);
        await launchAgain(desk);
        desk.note('edgeKept', Number((await edgeOf(desk)) === edge));
        await noteResumes(desk, edge);
      }
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'edgeKept',
        op: '=',
        value: 3 * (1 + RESUMES),
        reason: 'The first hop stays the same over launches and resumes, within its ten days.',
      },
      { measure: 'edgesDropped', op: '=', value: 0, reason: 'It never failed.' },
    ],
    kills: { 'edge-drawn-anew': 'the first hop is another one with nearly every launch and resume' },
  },
  'ten-days': {
    says: 'launched again ten days and an hour after the first connection',
    client: ONION,
    takesS: 10,
    run: async (desk) => {
      await launchWithFolder(desk);
      const edge = await edgeOf(desk);
      await desk.command('/suspend');
      await desk.leap(10 * DAY_MS + HOUR_MS);
      await launchAgain(desk);
      await noteResumes(desk, edge);
    },
    bounds: [
      {
        measure: 'edgeKept',
        op: '<=',
        value: 3,
        reason:
          'After edge_node_cache_duration another first hop is taken; by chance it may be the same again.',
      },
    ],
    kills: { 'edge-for-ever': 'it is the first hop of every path again' },
  },
  'struck-before-a-launch': {
    says: 'the edge node of the first launch is struck out in the second, which uses no paths',
    client: ONION,
    takesS: 15,
    run: async (desk) => {
      await launchWithFolder(desk);
      const edge = await edgeOf(desk);
      await strikeOut(desk, edge);
      await launchAgain(desk, { route: 'onion' });
      desk.note('edgeKept', Number((await edgeOf(desk)) === edge));
      await desk.noteState();
    },
    bounds: [
      { measure: 'struckOut', op: '=', value: 1, reason: 'The edge node, and nobody else, was struck out.' },
      {
        measure: 'edgeKept',
        op: '=',
        value: 0,
        reason: 'A node that is known to fail gets no path built onto it again.',
        brokenBy: ['original'],
      },
      { measure: 'edgesDropped', op: '=', value: 1, reason: 'It loses the role.' },
      { measure: 'poolSize', op: '=', value: 15, reason: 'The role alone: it stays a node like any other.' },
    ],
    kills: {
      'struck-edge-kept': 'the third launch builds its path onto it',
      'struck-edge-forgotten': 'it is gone from the pool',
    },
  },
  'never-again': {
    says: 'the same, and its strikes are 49 hours old when the client resumes, six times',
    client: ONION,
    takesS: 20,
    run: async (desk) => {
      await launchWithFolder(desk);
      const edge = await edgeOf(desk);
      await strikeOut(desk, edge);
      await launchAgain(desk, { route: 'onion' });
      await edgeOf(desk);
      await desk.command('/suspend');
      await desk.leap(49 * HOUR_MS);
      await desk.command('/resume');
      await edgeOf(desk);
      await noteResumes(desk, edge);
      await desk.noteStruck();
    },
    bounds: [
      { measure: 'struckNodes', op: '=', value: 0, reason: 'Its strikes have expired.' },
      {
        measure: 'edgeKept',
        op: '<=',
        value: 3,
        reason:
          'Having the role back would be a second change of first hop; by chance it may be drawn again.',
      },
    ],
    kills: { 'struck-edge-skipped': 'with its strikes gone it is the first hop of every path again' },
  },
  'rotation-keeps-it': {
    says: 'a path is rotated whose edge node was connected just now and never failed',
    client: ROTATING,
    young: true,
    run: (desk) => rotated(desk, 0),
    bounds: [
      { measure: 'rotations', op: '=', value: 1, reason: 'The path is half an hour old.' },
      { measure: 'rotationNodes', op: '=', value: 2, reason: 'path_length − 1 nodes are asked for.' },
      { measure: 'edgeKept', op: '=', value: 1, reason: 'A client’s first hop stays stable.' },
    ],
    kills: { 'rotation-drops-edge': 'path_length nodes are asked for, and the edge node is given up' },
  },
  'rotation-drops-it': {
    says: 'the same, and the edge node failed somebody meanwhile',
    client: ROTATING,
    young: true,
    run: (desk) => rotated(desk, 1),
    bounds: [
      { measure: 'rotations', op: '=', value: 1, reason: 'The path is half an hour old.' },
      {
        measure: 'rotationNodes',
        op: '=',
        value: 3,
        reason: 'path_length nodes are asked for: a whole new path.',
        brokenBy: ['original'],
      },
      { measure: 'edgeKept', op: '=', value: 0, reason: 'It is not carried into the new path.' },
    ],
    kills: { 'rotation-keeps-struck': 'the new path begins with the node that is out' },
  },
  'strikes-over-a-restart': {
    says: 'three proxies are struck out, and the client is launched again two minutes later',
    client: { route: 'proxied', cacheMinSize: 6, strikeThreshold: 1, ttlMs: 14 * DAY_MS },
    run: async (desk) => {
      await launchWithFolder(desk);
      await desk.storm({ redirect: 'none', at: ['relay'], status: 504 });
      for (let turn = 0; turn < 3; turn += 1) await desk.send();
      await desk.leap(2 * MINUTE_MS);
      await desk.calm();
      await launchAgain(desk);
      await desk.noteStruck();
      await desk.leap(49 * HOUR_MS);
      await launchAgain(desk);
      await desk.noteStruck('struckLater');
      await desk.randomNodes(15);
    },
    bounds: [
      {
        measure: 'struckNodes',
        op: '=',
        value: 3,
        reason: 'Strikes are saved each five minutes at most, and when the process ends.',
      },
      {
        measure: 'struckLater',
        op: '=',
        value: 0,
        reason: 'From disk as in process: 48 hours.',
        keptBy: ['original'],
      },
      {
        measure: 'randomNodes',
        op: '=',
        value: 15,
        reason: 'All of them are used again.',
        keptBy: ['original'],
      },
    ],
    kills: { 'strikes-unflushed': 'the last minutes’ strikes are forgotten' },
  },
  'struck-in-use': {
    says: 'the edge node fails somebody while its path stands, and the client is launched again 49 hours later',
    client: ONION,
    takesS: 15,
    run: async (desk) => {
      await launchWithFolder(desk);
      const edge = await edgeOf(desk);
      await desk.post('/strike', { node: edge }, {});
      await desk.command('/suspend');
      await desk.leap(49 * HOUR_MS);
      await launchAgain(desk);
      desk.note('edgeKept', Number((await edgeOf(desk)) === edge));
      await desk.noteStruck();
      // The old client strikes the relays of its path with each suspension: no more of these, or it would have no nodes left.
      await noteResumes(desk, edge, 2);
    },
    bounds: [
      { measure: 'struckOut', op: '=', value: 1, reason: 'It was out when the first run ended.' },
      { measure: 'struckNodes', op: '=', value: 0, reason: 'Its strike has expired.' },
      {
        measure: 'edgeKept',
        op: '<=',
        value: 2,
        reason:
          'It lost the role with the strike, and what is kept for the next launch is without it; by chance it is drawn three times in one trial of two thousand.',
        brokenBy: ['original'],
      },
    ],
  },
};

/** One path, half an hour, and the path that takes its place; strikes are those of the library’s own users. */
async function rotated(desk: Desk, strikes: number): Promise<void> {
  const edge = await edgeOf(desk);
  if (strikes > 0) await desk.post('/strike', { node: edge, times: strikes }, {});
  desk.begin();
  await desk.leap(ROTATION_MS);
  await desk.trial.until({ event: 'path.built', on: CLIENT, where: { how: 'rotated' } }, '20s');
  desk.note('edgeKept', Number((await firstHop(desk)) === edge));
}

export const edgeNodes = courseRow({
  name: 'edge-nodes',
  description:
    'What a client keeps from launch to launch: the first hop for ten days, unless it is struck out, which it loses for good, in rotation too; and its strikes.',
  courses: edgeCourses,
  aggregates: [
    {
      title:
        'Launches and resumes within nine days that began with the same first hop, of 21; published: for how long',
      op: 'mean',
      measure: 'edgeKept',
      where: { course: 'kept-for-nine-days', variant: 'final' },
      unit: 'launches and resumes',
      published: ['edge-duration'],
    },
  ],
  published: published('edge-duration'),
});
