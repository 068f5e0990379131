import type { Part, Truth } from '../part.ts';
import { SubjectRun } from '../subject-run.ts';

/** Nothing is done to them: without this, `right` in the other parts would mean nothing. */
export const control: Part = {
  name: 'control',
  title: 'undisturbed: the sound one passes, the broken one fails',
  times: { whole: 4, short: 2 },
  secondsEach: 20,
  async attempt(world, chance) {
    const truth: Truth = chance.integer(2) === 0 ? 'sound' : 'broken';
    const attempt = await new SubjectRun(world, { truth }).outcome(true);
    // A host under load may void every trial; then nothing is known, and that is said.
    const isKnown = ['right', 'inconclusive'].includes(attempt.outcome);
    return isKnown
      ? attempt
      : { ...attempt, problems: [...attempt.problems, `undisturbed, and ${attempt.outcome}`] };
  },
};
