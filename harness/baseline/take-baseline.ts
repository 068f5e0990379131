import { counts, unitOf, valuesOf } from '../check/index.ts';
import { SquallError } from '../errors/index.ts';
import { readRun, readTrial, type TrialRecord } from '../record/index.ts';
import { mean } from '../stats/index.ts';
import { BASELINE_VERSION, type Baseline, type BaselinePoint } from './baseline-file.ts';

export interface TakeOptions {
  readonly name: string;
  /** ISO 8601; when the run was made, when absent. */
  readonly savedAt?: string;
  readonly commit?: string;
  /** Only these measures; all that the scenarios declare when absent. */
  readonly measures?: readonly string[];
}

/**
 * The figures of a run's trials that count. A measure that some trial lacks, or did not see happen, is left out at that
 * point: what is left would be of the lucky ones only.
 * @throws SquallError `baseline-empty` (input) when nothing is left, and what reading a run throws
 */
export async function takeBaseline(runDir: string, options: TakeOptions): Promise<Baseline> {
  const { plan, trials: refs } = await readRun(runDir);
  const points: BaselinePoint[] = [];
  for (const scenario of plan.scenarios) {
    for (const planned of scenario.points) {
      const own = refs.filter((ref) => ref.finished && ref.pointId === planned.pointId);
      const trials = (await Promise.all(own.map((ref) => readTrial(ref.dir)))).filter(counts);
      const names = scenario.measures.map((measure) => measure.name);
      const measures = Object.fromEntries(
        (options.measures ?? names).flatMap((name) => {
          const values = perTrial(trials, name);
          return values ? [[name, { unit: unitOf(scenario.measures, name), values }]] : [];
        }),
      );
      if (Object.keys(measures).length === 0) continue;
      const { suite, scenario: name } = scenario;
      const { point, pointId, warp = plan.warp } = planned;
      points.push({ suite, scenario: name, point, pointId, warp, measures });
    }
  }
  if (points.length === 0) {
    throw new SquallError(
      `baseline ${options.name}: the run ${plan.runId} has no measure with a value in every trial.`,
      {
        code: 'baseline-empty',
        blame: 'input',
        facts: { measures: options.measures ?? [] },
      },
    );
  }
  return {
    baselineVersion: BASELINE_VERSION,
    name: options.name,
    savedAt: options.savedAt ?? plan.startedAt,
    runId: plan.runId,
    squallVersion: plan.squallVersion,
    ...(options.commit !== undefined && { commit: options.commit }),
    host: plan.host,
    points,
  };
}

function perTrial(trials: readonly TrialRecord[], measure: string): number[] | undefined {
  if (trials.length === 0) return undefined;
  const values: number[] = [];
  for (const trial of trials) {
    const own = valuesOf(trial.measures, measure);
    if (own.length === 0 || own.includes(null)) return undefined;
    values.push(mean(own as readonly number[]));
  }
  return values;
}
