import type { Part } from '../part.ts';
import { SubjectRun } from '../subject-run.ts';
import { atMoment, drawMoment, drawTruth } from './moment.ts';

/** Nothing of a run may outlive a harness that had no time to say goodbye. */
export const kill: Part = {
  name: 'kill',
  title: 'the harness is killed (kill -9) at a random moment',
  times: { whole: 200, short: 2 },
  secondsEach: 15,
  async attempt(world, chance) {
    const run = new SubjectRun(world, { truth: drawTruth(chance) });
    const momentMs = drawMoment(chance);
    const met = await atMoment(world, run, momentMs);
    if (met) run.kill('SIGKILL');
    return await run.outcome(met, { momentMs });
  },
};
