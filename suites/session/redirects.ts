/** Row 3: redirects that bounce, name their own sender, or name whom nobody knows. */
import { type Course, type CourseCode, courseRow } from './course.ts';
import { redirectGraph } from './plots.ts';
import { published } from './published.ts';
import { limitCourses } from './redirect-limit.ts';

/** One request, rejected as the storm says, and whatever refresh that asks for. */
const rejectedOnce =
  (storm: Readonly<Record<string, unknown>>): CourseCode =>
  async (desk) => {
    await desk.storm(storm);
    await desk.sends(1);
    await desk.settles();
    await desk.noteState();
  };

const courses: Readonly<Record<string, Course>> = {
  ...limitCourses,
  'back-to-the-calculated': {
    says: 'a wrong redirect, and then the one that puts it right by naming what the pool says',
    young: true,
    run: async (desk) => {
      const [account] = await desk.accounts();
      const { members } = await desk.swarmOf(account.id);
      await desk.storm({ redirect: 'other-swarm' }, members);
      await desk.sends(1);
      await desk.calm();
      desk.begin();
      await desk.sends(2);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'answered',
        op: '=',
        value: 2,
        reason: 'A node that names the calculated swarm puts a wrong redirect right.',
        brokenBy: ['proposal'],
      },
      { measure: 'refreshes', op: '=', value: 0, reason: 'No refresh is needed for it.' },
      { measure: 'refused', op: '=', value: 0, reason: 'A redirect is never compared with the calculation.' },
    ],
    kills: { 'refuse-calculated': 'the account stays pinned to a swarm that it is not in' },
  },
  itself: {
    says: 'each node names only itself',
    run: rejectedOnce({ redirect: 'itself' }),
    bounds: [
      { measure: 'followed', op: '>=', value: 1, reason: 'A known node is followed, be it alone.' },
      { measure: 'refused', op: '=', value: 0, reason: 'It is not refused for being short.' },
      {
        measure: 'followedShort',
        op: '>=',
        value: 1,
        reason: 'It leaves nothing unresolved, and still pins the account to one node.',
        brokenBy: ['unknown-only', 'proposal'],
      },
      {
        measure: 'refreshes',
        op: '=',
        value: 1,
        reason: 'So a refresh is asked for, and the pool is old enough.',
      },
    ],
    kills: {
      'short-asks-nothing': 'no refresh is asked for',
      'short-asks-if-unknown': 'no refresh is asked for, since nothing is unknown',
    },
  },
  'two-of-a-swarm': {
    says: 'the swarm that is named has two members, fewer than the three of a usable one',
    run: rejectedOnce({ redirect: 'honest', count: 2 }),
    bounds: [
      {
        measure: 'followed',
        op: '>=',
        value: 1,
        reason: 'A redirect is refused only when none of its nodes is in the pool.',
        brokenBy: ['proposal'],
      },
      {
        measure: 'refreshes',
        op: '=',
        value: 1,
        reason: 'Fewer than three resolved, so that a refresh is asked for too.',
      },
    ],
    kills: { 'refuse-short': 'the redirect is refused, and the request fails or waits for a refresh' },
  },
  'partly-unknown': {
    says: 'three nodes that we know, as many as a usable swarm needs, and three that we do not',
    run: async (desk) => {
      await desk.storm({ redirect: 'partly-unknown', count: 6 });
      await desk.sends(2);
      await desk.noteState();
      desk.note('warnings', (await desk.client()).lines.warn);
    },
    bounds: [
      {
        measure: 'followed',
        op: '=',
        value: 4,
        reason: 'Two requests, each rejected twice, each time with three known nodes.',
      },
      {
        measure: 'asked',
        op: '=',
        value: 0,
        reason: 'Enough known nodes for a usable swarm: the unknown ones beside them ask for nothing.',
      },
      { measure: 'warnings', op: '=', value: 4, reason: 'The warning for unknown nodes repeats.' },
    ],
    kills: {
      'unknown-always-asks': 'a refresh is asked for',
      'unknown-warns-once': 'one warning, and then none',
    },
  },
  'two-known-of-many': {
    says: 'two nodes that we know, fewer than the three of a usable swarm, and more that we do not',
    run: rejectedOnce({ redirect: 'partly-unknown', count: 4 }),
    bounds: [
      {
        measure: 'followed',
        op: '>=',
        value: 1,
        reason: 'The known ones are followed, however few they are.',
        brokenBy: ['proposal'],
      },
      {
        measure: 'refused',
        op: '=',
        value: 0,
        reason: 'Refused only when none of them is in the pool.',
        brokenBy: ['proposal'],
      },
      {
        measure: 'followedShort',
        op: '>=',
        value: 1,
        reason: 'Fewer than three resolved, and the pool lacks the others.',
        keptBy: ['unknown-only'],
      },
      {
        measure: 'refreshes',
        op: '=',
        value: 1,
        reason: 'So a refresh is asked for, and the pool is old enough.',
        keptBy: ['unknown-only'],
      },
      { measure: 'strikes', op: '=', value: 0, reason: 'Nobody was asked at an address of the body.' },
    ],
  },
  'wholly-unknown': {
    says: 'nobody knows the nodes that are named',
    run: async (desk) => {
      await desk.storm({ redirect: 'unknown' });
      await desk.sends(1);
      await desk.settles();
      await desk.noteState();
      desk.note('warnings', (await desk.client()).lines.warn);
    },
    bounds: [
      { measure: 'followed', op: '=', value: 0, reason: 'Only nodes of our own pool can be followed to.' },
      { measure: 'refused', op: '>=', value: 1, reason: 'None of them is in the pool.' },
      { measure: 'refreshes', op: '=', value: 1, reason: 'The refresh is the fallback.' },
      {
        measure: 'warnings',
        op: '=',
        value: 2,
        reason: 'Both rejections, before the refresh and after it, name nodes that the pool does not have.',
      },
      { measure: 'strikes', op: '=', value: 0, reason: 'Nobody was asked at an address of the body.' },
    ],
  },
  duplicates: {
    says: 'members twice, and records of 0.0.0.0:0',
    run: async (desk) => {
      await desk.storm({ redirect: 'duplicates' });
      await desk.sends(1);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'followed',
        op: '=',
        value: 2,
        reason: 'A node that is named again counts once, and is known.',
      },
      { measure: 'asked', op: '=', value: 0, reason: 'Five known nodes are a full swarm.' },
      { measure: 'strikes', op: '=', value: 0, reason: 'The address comes from our own pool.' },
    ],
  },
  garbage: {
    says: 'JSON of another shape',
    run: rejectedOnce({ redirect: 'garbage' }),
    bounds: [
      { measure: 'followed', op: '=', value: 0, reason: 'Nothing readable is named.' },
      { measure: 'refreshes', op: '=', value: 1, reason: 'It is a 421 without a usable redirect.' },
      { measure: 'hanging', op: '=', value: 0, reason: 'The request ends.' },
    ],
  },
};

export const redirects = courseRow({
  name: 'redirects',
  description:
    'Redirects that bounce, name only their sender, too few, unknown nodes in part or in full, duplicates and nonsense: followed, refused, and a refresh asked for, exactly as the rules say.',
  courses,
  plots: [redirectGraph],
  aggregates: [
    {
      title:
        'Redirects past the limit, of twelve that were all followed; published: how many ask for nothing',
      op: 'mean',
      measure: 'followedForLimit',
      where: { course: 'bounce', variant: 'final' },
      unit: 'redirects past the limit',
      published: ['redirects-before-refresh'],
    },
    {
      title:
        'Redirects between two groups that the proposal followed until it refused one, of a client that is sent on once a request; published: its limit',
      op: 'mean',
      measure: 'followed',
      where: { course: 'two-groups', variant: 'proposal' },
      unit: 'redirects',
      published: ['old-limit'],
    },
    ...(['partly-unknown', 'lines-while-throttled'] as const).map((course) => ({
      title: `Warnings a request, each rejected twice with unknown names: ${course}`,
      op: 'ratio' as const,
      measure: 'warnings',
      of: 'unanswered',
      where: { course, variant: 'final' },
      unit: 'warnings a request',
    })),
    {
      title: 'Lines at info a request while its refresh is declined, proposal',
      op: 'ratio',
      measure: 'infoLines',
      of: 'unanswered',
      where: { course: 'lines-while-throttled', variant: 'proposal' },
      unit: 'lines a request',
    },
  ],
  published: published('redirects-before-refresh', 'old-limit'),
});
