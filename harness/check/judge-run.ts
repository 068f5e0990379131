import { join } from 'node:path';
import { type RunRecord, readRun, type StoredRun, writeAtomically } from '../record/index.ts';
import { type JudgeOptions, judgePlan } from './judge-plan.ts';
import { loadTrials } from './load-trials.ts';

/**
 * Judges a run from its folder alone and writes run.json in one step: of a finished run, of an aborted one, and of one
 * whose acting side was killed (from plan.json and the trials that there are).
 * @throws SquallError `run-not-found`, `record-too-new`, `record-damaged` (input)
 */
export async function judgeRun(runDir: string, options: JudgeOptions): Promise<RunRecord> {
  const stored = await readRun(runDir);
  const run = await judgeStored(stored, options);
  await writeAtomically(join(stored.dir, 'run.json'), `${JSON.stringify(run, undefined, 2)}\n`);
  return run;
}

/** The same without writing anything: of a run that goes on, as far as it is. */
export async function judgeStored(stored: StoredRun, options: JudgeOptions): Promise<RunRecord> {
  const judged = await judgePlan(
    stored.plan,
    (scenario, planned) => {
      const refs = stored.trials.filter((ref) => ref.pointId === planned.pointId);
      return loadTrials(refs, scenario, planned.point, options.checks === 'today');
    },
    options,
  );
  return { ...judged, notes: [...(judged.notes ?? []), ...strays(stored)] };
}

function strays({ plan, trials }: StoredRun): string[] {
  const known = new Set(plan.scenarios.flatMap((scenario) => scenario.points.map((point) => point.pointId)));
  const unknown = new Set(trials.filter((ref) => !known.has(ref.pointId)).map((ref) => ref.pointId));
  return [...unknown].map((pointId) => `Trials at ${pointId} are not in the plan and were not judged`);
}
