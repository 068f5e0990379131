import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { type Engine, findEngine } from '../../engine/index.ts';
import { stream } from '../../random/index.ts';
import type { Attempt } from '../part.ts';
import { killAt } from '../parts/kill.ts';
import { drawLateness, type Stage } from '../stages.ts';
import { inWorld, type World } from '../world.ts';

const MOMENTS = ['start', 'fault', 'release', 'removal', 'report'] as const;

/** Kills in each stage; `make stress` sets 6. */
const KILLS = Number(process.env['SQUALL_KILLS_PER_STAGE'] ?? 1);
/** Other moments at every run, and the same ones for who gives the seed. */
const SEED = process.env['SQUALL_KILL_SEED'] ?? randomBytes(3).toString('hex');

/** Halvings of a lateness, down to a few milliseconds. */
const EARLIER_AT_MOST = 6;

/**
 * How long a stage takes is the machine's: a run that was over when it was to be killed has shown nothing about kills, and another
 * one is killed in the first half of that moment.
 */
async function killWhileItLives(world: World, stage: Stage, laterMs: number): Promise<Attempt> {
  for (let earlier = 0; ; earlier += 1) {
    const attempt = await killAt(world, {
      stage,
      laterMs: Math.round(laterMs / 2 ** earlier),
      truth: 'sound',
    });
    const isOver = attempt.outcome === 'right' && attempt.problems.length === 0;
    if (!isOver || earlier === EARLIER_AT_MOST) return attempt;
  }
}

const seconds = (ms: unknown): string => `${(Number(ms) / 1_000).toFixed(2)} s`;

describe(`a run that is killed (SQUALL_KILL_SEED=${SEED} for the same moments)`, function () {
  this.timeout(240_000);
  let engine: Engine;
  before(async () => {
    engine = await findEngine({ yes: true });
  });
  after(() => engine.close());

  for (const stage of MOMENTS) {
    for (let number = 1; number <= KILLS; number += 1) {
      const laterMs = drawLateness(stage, stream(SEED, `${stage}/${number}`));
      it(`has its faults lifted and everything removed in time: ${laterMs} ms after the begin of its ${stage}`, async () => {
        const { signal } = new AbortController();
        const { met, outcome, problems, facts } = await inWorld(engine, signal, (world) =>
          killWhileItLives(world, stage, laterMs),
        );
        const { killedAfterMs, liftedMs, liftedWithinMs, goneMs, goneWithinMs, removalMs } = facts;
        const lifted =
          liftedMs === undefined ? '' : `lifted after ${seconds(liftedMs)} of ${seconds(liftedWithinMs)}, `;
        console.log(
          `      ${seconds(killedAfterMs)} into the ${stage}: ${lifted}nothing left after ${seconds(goneMs)} of ${seconds(goneWithinMs)} ` +
            `(5 s and 1.5 times ${seconds(removalMs)}, the bed's own removal)`,
        );
        expect({ met, outcome, problems }, JSON.stringify(facts)).to.deep.equal({
          met: true,
          outcome: 'killed',
          problems: [],
        });
      });
    }
  }
});
