import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LABEL, nowNs } from '../../testnet/index.ts';
import { boundQueues, nodePids } from '../node-processes.ts';
import { ownRemovalMs } from '../own-removal.ts';
import type { Attempt, Part, Truth } from '../part.ts';
import { drawLateness, runDirs, STAGES, type Stage, settingsFor, stageBegin } from '../stages.ts';
import { SubjectRun } from '../subject-run.ts';
import { markedProcesses, resourcesLeft, type World } from '../world.ts';
import { atMoment, drawTruth, whileItLives } from './moment.ts';

/** Contracts, "Host": faults are lifted so soon after kill -9. */
const LIFTED_WITHIN_MS = 2_000;
/** Contracts, "Host": nothing is left so soon after kill -9, by what the bed's own removal takes. */
const goneWithinMs = (removalMs: number): number => Math.round(5_000 + 1.5 * removalMs);

const STAGE_LOOK_EVERY_MS = 10;
const LIFT_LOOK_EVERY_MS = 20;
/** All of an engine's containers are listed, beside those who clean up. */
const LEFT_LOOK_EVERY_MS = 50;
/** A bound that is missed is measured up to here, so that the attempt can say by how much. */
const PATIENCE_MS = 60_000;

/** Where a run is killed. */
export interface KillMoment {
  readonly stage: Stage;
  /** After the stage's begin, or as soon after that as it shows. */
  readonly laterMs: number;
  readonly truth: Truth;
}

/** Nothing of a run may outlive a harness that had no time to say goodbye, nor stay for long. */
export const kill: Part = {
  name: 'kill',
  title: 'the harness is killed (kill -9) at a random moment of a random stage',
  times: { whole: 200, short: 2 },
  secondsEach: 15,
  async attempt(world, chance) {
    const stage = STAGES[chance.integer(STAGES.length)] as Stage;
    return await killAt(world, { stage, laterMs: drawLateness(stage, chance), truth: drawTruth(chance) });
  },
};

/** Kills a run at this moment, and holds against the bounds how long its fault and its things stay. */
export async function killAt(world: World, moment: KillMoment): Promise<Attempt> {
  const { stage, laterMs } = moment;
  const removalMs = Math.round(await ownRemovalMs(world.engine));
  const run = new SubjectRun(world, { truth: moment.truth, set: settingsFor(stage) });
  const beganNs = await whileItLives(
    world,
    run,
    () => stageBegin(run.reportsDir, stage),
    STAGE_LOOK_EVERY_MS,
  );
  const isFaulted = stage === 'fault' || stage === 'release';
  const pids = isFaulted && run.lives ? await nodePids(world.engine, runIdsOf(run)[0] ?? '') : [];
  const waitMs = laterMs + ((beganNs ?? 0) - nowNs()) / 1e6;
  const lives = beganNs !== undefined && (await atMoment(world, run, Math.max(0, waitMs)));
  const held = pids.filter((pid) => boundQueues(pid) > 0);
  if (!lives) return await run.outcome(false, { ...moment });
  const killedAfterMs = Math.round((nowNs() - beganNs) / 1e6);
  run.kill('SIGKILL');
  const killedMs = performance.now();
  const [liftedMs, goneMs] = await Promise.all([
    untilLifted(held, killedMs),
    untilGone(world, run, killedMs),
  ]);
  const bound = goneWithinMs(removalMs);
  const attempt = await run.outcome(!isFaulted || held.length > 0, {
    ...moment,
    killedAfterMs,
    removalMs,
    goneMs,
    goneWithinMs: bound,
    ...(held.length > 0 && { liftedMs, liftedWithinMs: LIFTED_WITHIN_MS }),
  });
  const problems = [
    ...attempt.problems,
    ...late('faults lifted', liftedMs, LIFTED_WITHIN_MS),
    ...late('nothing left', goneMs, bound),
  ];
  return { ...attempt, problems };
}

/** @returns ms after the kill when no queue of theirs was served any more */
async function untilLifted(pids: readonly number[], killedMs: number): Promise<number> {
  for (;;) {
    const isHeld = pids.some((pid) => boundQueues(pid) > 0);
    const tookMs = Math.round(performance.now() - killedMs);
    if (!isHeld || tookMs > PATIENCE_MS) return tookMs;
    await sleep(LIFT_LOOK_EVERY_MS);
  }
}

/**
 * Looks until the watchdog has ended, since a request that was under way may make something after the first empty listing.
 * @returns ms after the kill from which on nothing was listed
 */
async function untilGone(world: World, run: SubjectRun, killedMs: number): Promise<number> {
  let goneMs: number | undefined;
  for (;;) {
    // Before the listing, or it might end after what it has yet to remove was looked for.
    const isOver = goneMs !== undefined && markedProcesses(world.mark).length === 0;
    const left = [...(await resourcesLeft(world, [run.pid])), ...(await volumesLeft(world, run))];
    const tookMs = Math.round(performance.now() - killedMs);
    goneMs = left.length > 0 ? undefined : (goneMs ?? tookMs);
    if ((goneMs !== undefined && isOver) || tookMs > PATIENCE_MS) return goneMs ?? tookMs;
    await sleep(LEFT_LOOK_EVERY_MS, undefined, { signal: world.signal });
  }
}

async function volumesLeft(world: World, run: SubjectRun): Promise<readonly string[]> {
  const volumes = runIdsOf(run).map((id) => world.engine.listVolumes([`${LABEL.run}=${id}`]));
  return (await Promise.all(volumes)).flat();
}

const runIdsOf = (run: SubjectRun): readonly string[] => runDirs(run.reportsDir).map((dir) => basename(dir));

function late(what: string, tookMs: number, mostMs: number): readonly string[] {
  return tookMs > mostMs ? [`${what} only ${tookMs} ms after the kill; expected within ${mostMs} ms`] : [];
}
