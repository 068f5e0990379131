/** The one row of the release gate: the first of the suite on a bed of eight nodes, once with each client. */
import type { ScenarioSpec } from '../../harness/index.ts';
import { type Course, courseRow } from './course.ts';
import { moveCourses } from './moves.ts';

const { kills: _claimedByTheRow, ...honest } = moveCourses['honest'] as Course;
const BEFORE = 'original';

const course: Course = {
  ...honest,
  bounds: honest.bounds.map(({ keptBy: _keptBy, brokenBy = [], ...bound }) =>
    brokenBy.includes(BEFORE) ? { ...bound, brokenBy: [BEFORE] } : bound,
  ),
};

export const gateRow: ScenarioSpec = {
  ...courseRow({
    name: 'account-moves-gate',
    description:
      'An account moves, and its old swarm says where to: the final client follows with one extra request and fetches nothing; the original one is stuck.',
    topology: 'session-6',
    courses: { honest: course },
  }),
  onlyWhenNamed: true,
  grids: {
    gate: {
      description: 'before and after, one trial each',
      axes: { course: ['honest'], variant: ['final', BEFORE] },
      trials: 1,
    },
  },
  defaultGrid: 'gate',
};
