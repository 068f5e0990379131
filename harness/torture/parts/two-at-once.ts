import { join } from 'node:path';
import type { Attempt, Part, Truth } from '../part.ts';
import { SubjectRun } from '../subject-run.ts';
import { atMoment, drawMoment } from './moment.ts';

/** Two harnesses on one engine: each says what is true of its own run, and the end of one never touches the other. */
export const twoAtOnce: Part = {
  name: 'two-at-once',
  title: 'two harnesses at once, one of them killed every other time (20 pairs are ten minutes)',
  times: { whole: 20, short: 1 },
  secondsEach: 30,
  async attempt(world, chance) {
    const truths: readonly Truth[] = chance.shuffle(['sound', 'broken'] as const);
    const [first, second] = truths.map(
      // Folders of their own, or the verdict of one would be taken for the other's.
      (truth) => new SubjectRun(world, { truth, reportsDir: join(world.folder, 'reports', truth) }),
    ) as [SubjectRun, SubjectRun];
    const isKilled = chance.integer(2) === 0;
    const momentMs = drawMoment(chance);
    if (isKilled && (await atMoment(world, first, momentMs))) first.kill('SIGKILL');
    // The marked processes of both are looked for together, so both have to have ended.
    await Promise.all([first.ended, second.ended]);
    const both: readonly Attempt[] = [await first.outcome(true), await second.outcome(true)];
    const survivor = both[1]?.outcome ?? '';
    return {
      outcome: survivor,
      met: true,
      problems: [
        ...both.flatMap(({ problems }) => problems),
        ...(['right', 'inconclusive'].includes(survivor)
          ? []
          : [`the one that nobody touched is ${survivor}`]),
      ],
      facts: { isKilled, momentMs, both: both.map(({ outcome, facts }) => ({ outcome, ...facts })) },
    };
  },
};
