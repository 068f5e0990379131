import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFaketime, hasFaketime } from '../faketime.ts';
import type { Part } from '../part.ts';
import { SubjectRun } from '../subject-run.ts';
import { atMoment, drawMoment, drawTruth, whileItLives } from './moment.ts';

const STEP_S = 3_600;

/** As the harness alone sees it: the host's clock is left as it is. */
export const clockStep: Part = {
  name: 'clock-step',
  title: "the harness's wall clock jumps by an hour, to and fro, at a random moment",
  times: { whole: 10, short: 1 },
  secondsEach: 25,
  whyNot: () =>
    findFaketime() === undefined
      ? 'libfaketime is not installed (Debian has it in the package faketime)'
      : undefined,
  async attempt(world, chance) {
    const offsetFile = join(world.folder, 'offset');
    const show = (seconds: number): void =>
      writeFileSync(offsetFile, `${seconds < 0 ? '' : '+'}${seconds}s\n`);
    show(0);
    const run = new SubjectRun(world, {
      truth: drawTruth(chance),
      environment: {
        LD_PRELOAD: findFaketime() ?? '',
        FAKETIME_TIMESTAMP_FILE: offsetFile,
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        FAKETIME_SKIP_CMDS: 'dockerd,containerd,runc,go',
      },
    });
    const stepS = chance.integer(2) === 0 ? STEP_S : -STEP_S;
    const momentMs = drawMoment(chance);
    const met = await atMoment(world, run, momentMs);
    show(stepS);
    // A run that does not see the step would be a run like any other.
    let sawNone = false;
    const sees = await whileItLives(world, run, () => {
      const loaded = hasFaketime(run.pid);
      sawNone ||= loaded === false;
      return loaded || undefined;
    });
    const attempt = await run.outcome(met && sees === true, { momentMs, stepS });
    if (!met || sees || !sawNone) return attempt;
    const problem = 'libfaketime was not loaded, so that no clock was stepped';
    return { ...attempt, problems: [...attempt.problems, problem] };
  },
};
