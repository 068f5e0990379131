import { EXIT, type ExitCode, strongestExit } from '../errors/index.ts';
import {
  type AggregateResult,
  type ComparisonResult,
  matchesPoint,
  type PlannedScenario,
  type PlanRecord,
  type PointResult,
  RECORD_VERSION,
  type RunRecord,
  type TrialRecord,
  type Verdict,
} from '../record/index.ts';
import { aggregate } from './aggregate.ts';
import { aggregatesByWarp } from './aggregates-by-warp.ts';
import { countOf } from './count-of.ts';
import { counts } from './doubts.ts';
import { observeTrial } from './judge-point.ts';
import { isShort, judgeScenarioPoint } from './judge-scenario.ts';
import type { LoadedTrials } from './load-trials.ts';
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
  readonly compare?: (scenario: PlannedScenario, trials: readonly ComparedTrial[]) => Compared;
}

/** What comparing one scenario came to, with a note for each comparison that was left out. */
export interface Compared {
  readonly comparisons: readonly ComparisonResult[];
  readonly notes: readonly string[];
}

/** Of a trial, what a comparison needs. */
export type ComparedTrial = Pick<
  TrialRecord,
  'point' | 'pointId' | 'trial' | 'seed' | 'outcome' | 'measures'
> & {
  readonly counted: boolean;
};

/** Where a point's trials come from: a run's folder, or memory. */
export type TrialSource = (
  scenario: PlannedScenario,
  planned: PlannedScenario['points'][number],
) => Promise<LoadedTrials>;

interface Tally {
  readonly points: PointResult[];
  readonly aggregates: AggregateResult[];
  readonly comparisons: ComparisonResult[];
  readonly errors: string[];
  readonly notes: string[];
  lastMs: number;
}

/**
 * Judges all that a plan has, point by point, so that never more than one point's trials are in memory. Nothing is
 * read or written but through `load`; the same trials always give the same record.
 */
export async function judgePlan(
  plan: PlanRecord,
  load: TrialSource,
  options: JudgeOptions,
): Promise<RunRecord> {
  const tally: Tally = {
    points: [],
    aggregates: [],
    comparisons: [],
    errors: [],
    notes: [],
    lastMs: Date.parse(plan.startedAt),
  };
  for (const planned of plan.scenarios) {
    const scenario = options.checks === 'today' ? today(planned, options.scenarios, tally) : planned;
    await judgeScenario(load, scenario, options, tally);
  }
  if (plan.scenarios.length === 0) tally.errors.push('Nothing was planned, so nothing can have passed.');
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
  load: TrialSource,
  scenario: PlannedScenario,
  options: JudgeOptions,
  tally: Tally,
): Promise<void> {
  const light: ComparedTrial[] = [];
  const first = tally.points.length;
  for (const planned of scenario.points) {
    const label = `${scenario.scenario} at ${planned.pointId}`;
    const loaded = await load(scenario, planned);
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
  for (const spec of aggregatesByWarp(scenario)) {
    tally.aggregates.push(aggregate(spec, points, scenario.published, home));
  }
  const compared = options.compare?.(scenario, light);
  tally.comparisons.push(...(compared?.comparisons ?? []));
  tally.notes.push(...(compared?.notes ?? []));
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

function today(
  planned: PlannedScenario,
  scenarios: readonly TodaysScenario[] | undefined,
  tally: Tally,
): PlannedScenario {
  const found = scenarios?.find((one) => one.suite === planned.suite && one.scenario === planned.scenario);
  if (!found) {
    tally.notes.push(
      `${planned.suite}/${planned.scenario} is not in the suite given; it was judged by its recorded checks`,
    );
  }
  return found ? { ...planned, ...found } : planned;
}

function exitOf(verdict: Verdict, errors: readonly string[]): ExitCode {
  const byVerdict = verdict === 'pass' ? EXIT.pass : verdict === 'fail' ? EXIT.fail : EXIT.inconclusive;
  return strongestExit([byVerdict, errors.length > 0 ? EXIT.broken : EXIT.pass]);
}
