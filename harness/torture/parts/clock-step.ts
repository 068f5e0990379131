import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Part } from '../part.ts';
import { SubjectRun } from '../subject-run.ts';
import { atMoment, drawMoment, drawTruth } from './moment.ts';

const LIBRARIES = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/faketime/libfaketimeMT.so.1',
];
const STEP_S = 3_600;

const library = (): string | undefined => LIBRARIES.find((path) => existsSync(path));

/** As the harness alone sees it: the host's clock is left as it is. */
export const clockStep: Part = {
  name: 'clock-step',
  title: "the harness's wall clock jumps by an hour, to and fro, at a random moment",
  times: { whole: 10, short: 1 },
  secondsEach: 25,
  whyNot: () =>
    library() === undefined ? 'libfaketime is not installed (the package is called faketime)' : undefined,
  async attempt(world, chance) {
    const offsetFile = join(world.folder, 'offset');
    const show = (seconds: number): void =>
      writeFileSync(offsetFile, `${seconds < 0 ? '' : '+'}${seconds}s\n`);
    show(0);
    const run = new SubjectRun(world, {
      truth: drawTruth(chance),
      environment: {
        LD_PRELOAD: library() ?? '',
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
    return await run.outcome(met, { momentMs, stepS });
  },
};
