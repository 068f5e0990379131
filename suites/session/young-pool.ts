/** Row 4: a pool that was just fetched, and a network that is rearranged as a whole. */
import { type Course, courseRow } from './course.ts';
import { redirectGraph } from './plots.ts';

const ACCOUNTS = 6;
/** Two or three of five scattered members come to where the account is now: so many requests never all meet one of them at first. */
const SCATTERED = 30;

const courses: Readonly<Record<string, Course>> = {
  rearranged: {
    says: 'half of every swarm moves on while the pool is under a minute old, again and again',
    client: { accounts: ACCOUNTS },
    young: true,
    takesS: 10,
    run: async (desk) => {
      for (let turn = 0; turn < 3; turn += 1) {
        await desk.epoch({ change: 'rearrange', share: 0.4 });
        for (const { label } of await desk.accounts()) await desk.sends(2, { account: label });
      }
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'answered',
        op: '=',
        value: 3 * ACCOUNTS * 2,
        reason: 'No account stays pinned and none loses its redirect, although no refresh may run.',
        // Two of five members go in each turn: the old swarm answers all of these less than once in a million trials.
        brokenBy: ['original', 'refresh-only'],
      },
      { measure: 'refreshes', op: '=', value: 0, reason: 'The pool is under a minute old.' },
      { measure: 'refused', op: '=', value: 0, reason: 'No redirect is refused.' },
    ],
  },
  dissolved: {
    says: 'the account’s swarm is dissolved and its members scattered',
    young: true,
    takesS: 10,
    run: async (desk) => {
      const [account] = await desk.accounts();
      const { swarm } = await desk.swarmOf(account.id);
      await desk.epoch({ change: 'dissolve', swarm });
      await desk.sends(SCATTERED);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'answered',
        op: '=',
        value: SCATTERED,
        reason: 'Some scattered member says where the account is now.',
        brokenBy: ['refresh-only'],
      },
      {
        measure: 'retries',
        op: '<=',
        value: 1,
        reason: 'Whoever was asked first says so once, and from then on the account is asked for there.',
        brokenBy: ['original'],
      },
      { measure: 'refreshes', op: '=', value: 0, reason: 'The pool is under a minute old.' },
    ],
  },
  'bounce-past-the-limit': {
    says: 'redirects past the limit while no refresh may run: the account stays on its latest one, and is answered when it is right',
    young: true,
    run: async (desk) => {
      await desk.storm({ redirect: 'bounce' });
      await desk.sends(5);
      await desk.calm();
      await desk.sends(2);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'answered',
        op: '=',
        value: 2,
        reason: 'The latest redirect is kept, and the honest one that follows is taken.',
        brokenBy: ['proposal'],
      },
      { measure: 'refreshes', op: '=', value: 0, reason: 'The pool is under a minute old.' },
      { measure: 'overridden', op: '=', value: 1, reason: 'The account keeps its redirect.' },
    ],
  },
};

export const youngPool = courseRow({
  name: 'young-pool',
  description:
    'The pool is under a minute old, so that no rejection may refresh it, and swarms change all over: no account stays pinned or loses its redirect.',
  courses,
  plots: [redirectGraph],
});
