import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SquallError } from '../errors/index.ts';
import { type PlanRecord, readRun, readTrial, type StoredRun, type TrialRecord } from '../record/index.ts';

/** A run that did not reach its end, and what of it is done. */
export interface UnfinishedRun {
  readonly dir: string;
  readonly plan: PlanRecord;
  readonly trials: readonly TrialRecord[];
}

/** What makes two plans the same: scenarios, points, trials and warp; not the seed, which the earlier run decides. */
export function planSignature(plan: Pick<PlanRecord, 'warp' | 'scenarios'>): string {
  return JSON.stringify([
    plan.warp,
    plan.scenarios.map(({ suite, scenario, points }) => [
      suite,
      scenario,
      points.map((point) => [point.pointId, point.trials, point.warp ?? plan.warp]),
    ]),
  ]);
}

/** The newest run under `reportsDir` with this plan (and this seed, if one is given), when there is one. */
export async function findUnfinishedRun(
  reportsDir: string,
  wanted: Pick<PlanRecord, 'warp' | 'scenarios'>,
  seed: string | undefined,
): Promise<UnfinishedRun | undefined> {
  const signature = planSignature(wanted);
  const names = await readdir(reportsDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names
    .filter((one) => /^\d{8}-/.test(one))
    .sort()
    .reverse()) {
    const stored = await readIfRun(join(reportsDir, name));
    if (!stored || planSignature(stored.plan) !== signature) continue;
    if (seed !== undefined && stored.plan.seed !== seed) continue;
    const trials = await Promise.all(
      stored.trials.filter((trial) => trial.finished).map((trial) => readTrial(trial.dir)),
    );
    return { dir: stored.dir, plan: stored.plan, trials };
  }
  return undefined;
}

/** A folder that holds no readable run is none of ours to go on with. */
async function readIfRun(dir: string): Promise<StoredRun | undefined> {
  try {
    return await readRun(dir);
  } catch (error) {
    if (error instanceof SquallError) return undefined;
    throw error;
  }
}
