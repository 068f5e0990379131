import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { embeddedStatus, engineHome, ensureEmbeddedEngine, whyNotEmbedded } from '../../engine/index.ts';
import type { Part } from '../part.ts';
import { SubjectRun } from '../subject-run.ts';
import { atMoment, drawMoment, drawTruth } from './moment.ts';

const MOST_AWAY_MS = 4_000;

/** The engine crashes under the run, stays away for a moment, and comes back. */
export const engineRestart: Part = {
  name: 'engine-restart',
  title: 'the engine is killed at a random moment, and started again',
  times: { whole: 20, short: 1 },
  secondsEach: 45,
  privateEngine: true,
  whyNot: () => whyNotEmbedded(process.env)?.why,
  async attempt(world, chance) {
    const home = engineHome();
    const run = new SubjectRun(world, { truth: drawTruth(chance) });
    const momentMs = drawMoment(chance);
    const awayMs = drawMoment(chance, MOST_AWAY_MS);
    const met = await atMoment(world, run, momentMs);
    const { pid } = embeddedStatus(home);
    if (pid !== undefined) {
      process.kill(pid, 'SIGKILL');
      while (existsSync(`/proc/${pid}`) && embeddedStatus(home).pid === pid) await sleep(20);
      await sleep(awayMs, undefined, { signal: world.signal });
    }
    await ensureEmbeddedEngine(home, { signal: world.signal });
    return await run.outcome(met, { momentMs, awayMs });
  },
};
