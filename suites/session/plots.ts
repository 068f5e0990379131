/** Plots that rows share: who named whom, and what was fetched when. */
import type { PlotSpec } from '../../harness/index.ts';
import { CLOCK_LEAPT, COURSE_BEGAN } from './events.ts';

/** Redirects of the account that was redirected most, of the final client; a graph for each course. */
export const redirectGraph: PlotSpec = {
  title: 'Redirects of an account',
  kind: 'graph',
  y: 'redirect.followed',
  facet: 'course',
  where: { variant: 'final' },
  graph: {
    since: COURSE_BEGAN,
    of: 'account',
    from: 'from',
    to: 'nodes',
    group: { event: 'view.changed', name: 'as', value: 'swarm' },
  },
};

/** Refreshes of one course, a colour a variant, by the clocks of the nodes. */
export const refreshesOverTime = (course: string): PlotSpec => ({
  title: `Refreshes over time: ${course}`,
  kind: 'course',
  y: 'refresh.started',
  series: 'variant',
  where: { course },
  course: {
    since: COURSE_BEGAN,
    as: 'sum',
    per: 'trial',
    role: 'client',
    leaps: CLOCK_LEAPT,
    unit: 'refreshes',
  },
});
