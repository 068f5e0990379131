import type { Part } from '../part.ts';
import { SubjectRun } from '../subject-run.ts';
import { drawMoment, drawTruth } from './moment.ts';

const BLOCKED_MS = 15_000;

/** Spins from a moment on; nothing else of the process runs meanwhile. */
const blocker = (momentMs: number): string =>
  `data:text/javascript,${encodeURIComponent(
    `setTimeout(() => {
     const until = performance.now() + ${BLOCKED_MS};
     process.stderr.write('the event loop is blocked\\n');
     while (performance.now() < until);
   }, ${momentMs}).unref();`,
  )}`;

/** The harness does nothing at all for a quarter of a minute: faults end by the agent's clock, and no clean-up takes it for dead. */
export const blockedLoop: Part = {
  name: 'blocked-loop',
  title: `the harness's event loop stands still for ${BLOCKED_MS / 1_000} s at a random moment`,
  times: { whole: 10, short: 1 },
  secondsEach: 40,
  async attempt(world, chance) {
    const momentMs = drawMoment(chance);
    const run = new SubjectRun(world, { truth: drawTruth(chance), preload: [blocker(momentMs)] });
    const { said } = run;
    const attempt = await run.outcome(true, { momentMs });
    return { ...attempt, met: `${said}${run.said}`.includes('the event loop is blocked') };
  },
};
