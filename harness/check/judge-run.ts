import { join } from 'node:path';
import { EXIT, type ExitCode, strongestExit } from '../errors/index.ts';
import {
  type AggregateResult,
  type ComparisonResult,
  matchesPoint,
  type PlannedScenario,
  type PointResult,
  RECORD_VERSION,
  type RunRecord,
  readRun,
  type StoredRun,
  type TrialRecord,
  type Verdict,
  writeAtomically,
} from '../record/index.ts';
import { aggregate } from './aggregate.ts';
import { countOf } from './count-of.ts';
import { counts } from './doubts.ts';
import { observeTrial } from './judge-point.ts';
import { isShort, judgeScenarioPoint } from './judge-scenario.ts';
import { type LoadedTrials, loadTrials } from './load-trials.ts';
import { repeatCommand } from './repeat-command.ts';
import { combineVerdicts } from './verdicts.ts';

/** A scenario as its suite describes it today; what it does not have, the record keeps. */
export type TodaysScenario = Pick<PlannedScenario, 'suite' | 'scenario'> &
  Partial<
    Pick<
      PlannedScenario,
      | 'checks'
      | 'expectations'
      | 'published'
      | 'measures'
      | 'measure'
      | 'aggregates'
      | 'comparisons'
      | 'plots'
    >
  >;

export interface JudgeOptions {
  /** `recorded`: the checks as they stood when the run was made. `today`: those of `scenarios`, measured anew. */
  readonly checks: 'recorded' | 'today';
  readonly scenarios?: readonly TodaysScenario[];
  /** Comparisons are judged by the room above; it is handed each scenario's trials, light. */
  readonly compare?: (
    scenario: PlannedScenario,
    trials: readonly ComparedTrial[],
  ) => readonly ComparisonResult[];
}

/** Of a trial, what a comparison needs. */
export type ComparedTrial = Pick<
  TrialRecord,
  'point' | 'pointId' | 'trial' | 'seed' | 'outcome' | 'measures'
> & {
  readonly counted: boolean;
};

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

interface Tally {
  readonly points: PointResult[];
  readonly aggregates: AggregateResult[];
  readonly comparisons: ComparisonResult[];
  readonly errors: string[];
  readonly notes: string[];
  lastMs: number;
}

async function judgeStored(stored: StoredRun, options: JudgeOptions): Promise<RunRecord> {
  const { plan } = stored;
  const tally: Tally = {
    points: [],
    aggregates: [],
    comparisons: [],
    errors: [],
    notes: [],
    lastMs: Date.parse(plan.startedAt),
  };
  for (const planned of plan.scenarios) {
    const scenario = options.checks === 'today' ? today(planned, options.scenarios) : planned;
    await judgeScenario(stored, scenario, options, tally);
  }
  if (plan.scenarios.length === 0) tally.errors.push('Nothing was planned, so nothing can have passed.');
  noteStrays(stored, tally);
  const { points, aggregates, comparisons, errors, notes } = tally;
  const verdict = combineVerdicts([...points, ...comparisons].map((one) => one.verdict));
  const results = points.flatMap((point) => point.checks);
  const of = (wanted: Verdict): number => results.filter((check) => check.verdict === wanted).length;
  return {
    recordVersion: RECORD_VERSION,
    squallVersion: plan.squallVersion,
    runId: plan.runId,
    startedAt: plan.startedAt,
    endedAt: new Date(tally.lastMs).toISOString(),
    verdict,
    exitCode: exitOf(verdict, errors),
    partial: points.some(isShort),
    seed: plan.seed,
    repeat: plan.repeat ?? repeatCommand(plan),
    host: plan.host,
    points,
    ...(comparisons.length > 0 ? { comparisons } : {}),
    ...(aggregates.length > 0 ? { aggregates } : {}),
    errors,
    notes,
    judgedBy: options.checks,
    counts: {
      pass: of('pass'),
      fail: of('fail'),
      inconclusive: of('inconclusive'),
      voidTrials: points.reduce((sum, point) => sum + point.trials.void, 0),
    },
  };
}

async function judgeScenario(
  stored: StoredRun,
  scenario: PlannedScenario,
  options: JudgeOptions,
  tally: Tally,
): Promise<void> {
  const light: ComparedTrial[] = [];
  const first = tally.points.length;
  for (const planned of scenario.points) {
    const refs = stored.trials.filter((ref) => ref.pointId === planned.pointId);
    const label = `${scenario.scenario} at ${planned.pointId}`;
    const loaded = await loadTrials(refs, scenario, planned.point, options.checks === 'today');
    tally.errors.push(...loaded.errors.map((error) => `${label}: ${error}`));
    const result = judgeScenarioPoint(
      scenario,
      planned,
      loaded.trials,
      {
        observationOf: (spec, trial) =>
          loaded.observations.get(trial)?.get(spec) ?? observeTrial(spec, trial, []),
        unfinished: loaded.unfinished.length,
      },
      (problem) => tally.errors.push(`${label}: check "${problem.title}": ${problem.error}`),
    );
    tally.points.push(result);
    tell(label, loaded, result, tally);
    for (const trial of loaded.trials) light.push(lighten(trial));
  }
  const home = { suite: scenario.suite, scenario: scenario.scenario };
  const points = tally.points.slice(first);
  for (const spec of scenario.aggregates ?? []) {
    tally.aggregates.push(aggregate(spec, points, scenario.published, home));
  }
  tally.comparisons.push(...(options.compare?.(scenario, light) ?? []));
  tally.errors.push(...idleExpectations(scenario));
}

/** What a reader should know about a point's trials, and what broke. */
function tell(label: string, { trials, unfinished }: LoadedTrials, result: PointResult, tally: Tally): void {
  for (const ref of unfinished) tally.notes.push(`${label}: trial ${ref.trial} began and left no record`);
  for (const trial of trials) {
    const endMs = Date.parse(trial.startedAt) + (trial.endNs - trial.startNs) / 1e6;
    if (Number.isFinite(endMs)) tally.lastMs = Math.max(tally.lastMs, endMs);
    if (trial.outcome === 'completed') continue;
    tally.notes.push(
      `${label}: trial ${trial.trial} was ${trial.outcome}: ${trial.reasons.join('; ') || 'no reason given'}`,
    );
  }
  const { error, planned, counted } = result.trials;
  if (error > 0 && isShort(result)) {
    tally.errors.push(
      `${label}: ${countOf(error, 'trial')} broke, so only ${counted} of ${planned} planned ones count`,
    );
  }
}

function lighten(trial: TrialRecord): ComparedTrial {
  const { point, pointId, trial: number, seed, outcome, measures } = trial;
  return { point, pointId, trial: number, seed, outcome, measures, counted: counts(trial) };
}

/** An expectation that no check answers to could never be disappointed. */
function idleExpectations(scenario: PlannedScenario): string[] {
  return scenario.expectations.flatMap((expectation) => {
    const points = scenario.points.filter(({ point }) => matchesPoint(point, expectation.where));
    const answered = points.some(({ point }) =>
      scenario.checks.some(
        (spec) =>
          (spec.title === expectation.check || spec.check === expectation.check) &&
          matchesPoint(point, spec.where),
      ),
    );
    if (points.length === 0 || answered) return [];
    return [
      `${scenario.scenario}: "${expectation.check}" is expected to ${expectation.outcome} at ${points.length} points, but no check of that name is judged there`,
    ];
  });
}

function noteStrays({ plan, trials }: StoredRun, tally: Tally): void {
  const known = new Set(plan.scenarios.flatMap((scenario) => scenario.points.map((point) => point.pointId)));
  const strays = new Set(trials.filter((ref) => !known.has(ref.pointId)).map((ref) => ref.pointId));
  for (const pointId of strays)
    tally.notes.push(`Trials at ${pointId} are not in the plan and were not judged`);
}

function today(planned: PlannedScenario, scenarios: readonly TodaysScenario[] = []): PlannedScenario {
  const found = scenarios.find((one) => one.suite === planned.suite && one.scenario === planned.scenario);
  return found ? { ...planned, ...found } : planned;
}

function exitOf(verdict: Verdict, errors: readonly string[]): ExitCode {
  const byVerdict = verdict === 'pass' ? EXIT.pass : verdict === 'fail' ? EXIT.fail : EXIT.inconclusive;
  return strongestExit([byVerdict, errors.length > 0 ? EXIT.broken : EXIT.pass]);
}
