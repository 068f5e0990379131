/** Public incidents, each as a course under its number: the same scripts as in the rows, side by side. */

import { callbackCourses } from './callbacks.ts';
import { type Bound, type Course, courseRow, type Row } from './course.ts';
import { forgeryCourses } from './forgery.ts';
import { moveCourses } from './moves.ts';
import { strikeCourses } from './strikes.ts';

/** What a row already designates is not claimed a second time. */
const from = (courses: Row['courses'], name: string): Course => {
  const { kills, ...course } = courses[name] as Course;
  return course;
};

/** No variant has it, and so the rule alone is off where the course shows what it was like. */
const brokenBy = (mutant: string, measure: Bound['measure'], { bounds, ...course }: Course): Course => ({
  ...course,
  bounds: bounds.map((bound) => (bound.measure === measure ? { ...bound, brokenBy: [mutant] } : bound)),
});

export const incidents = courseRow({
  name: 'public-incidents',
  description:
    'libsession-util 154 (38), 126 (39), 155 (41), 157 (42) and the status that counted against the path (43).',
  courses: {
    '38-stuck-for-two-hours': from(moveCourses, 'until-the-pool-is-old'),
    '38-no-redirect': {
      says: '421 with nobody named: one refresh, and the next request is answered',
      run: async (desk) => {
        await desk.storm({ redirect: 'none' });
        await desk.sends(1);
        await desk.settles();
        await desk.calm();
        await desk.sends(1);
        await desk.noteState();
      },
      bounds: [
        {
          measure: 'refreshes',
          op: '=',
          value: 1,
          reason: 'The refresh is the fallback.',
          brokenBy: ['original', 'evict-only'],
        },
        { measure: 'answered', op: '=', value: 1, reason: 'With the new pool the account is found.' },
      ],
    },
    '39-unrelated-swarm': brokenBy(
      'retry-resolves-node',
      'strayRetries',
      from(moveCourses, 'sibling-of-the-rejecting-node'),
    ),
    '41-out-for-life': from(strikeCourses, 'back-in-paths'),
    '42-no-candidates': from(callbackCourses, 'no-candidates'),
    '42-no-fetcher': from(callbackCourses, 'no-fetcher'),
    '42-suspended': from(callbackCourses, 'suspended'),
    '43-innocent-relays': from(forgeryCourses, 'unlisted-status'),
    '42-seeds-black-holed': from(callbackCourses, 'seeds-black-holed'),
    '42-seeds-black-holed-suspended': from(callbackCourses, 'seeds-black-holed-suspended'),
  },
});
