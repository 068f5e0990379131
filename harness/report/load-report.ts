import { describeError, SquallError } from '../errors/index.ts';
import {
  matchesPoint,
  type PlanRecord,
  type RecordedEvent,
  type RunRecord,
  readRun,
  readSortedEvents,
  readTrial,
  type TrialRecord,
} from '../record/index.ts';
import { coursesOf, type TrialCourse } from './trial-course.ts';
import { digestTrial, type TrialDigest } from './trial-digest.ts';
import { graphOf, type TrialGraph, tellingGraphs } from './trial-graph.ts';

/** Everything that renderers show, read once. */
export interface ReportInput {
  readonly dir: string;
  readonly plan: PlanRecord;
  readonly run: RunRecord;
  readonly trials: readonly TrialDigest[];
  /** One trial a timeline plot, with its events. */
  readonly timelines: readonly TrialTimeline[];
  /** Lines over time of the plots that ask for them, of every counted trial. */
  readonly courses: readonly TrialCourse[];
  /** Graphs of the plots that ask for them: of each facet the one that shows most. */
  readonly graphs: readonly TrialGraph[];
}

export interface TrialTimeline {
  readonly title: string;
  readonly trial: TrialRecord;
  readonly events: readonly RecordedEvent[];
  /** The event that the plot is about. */
  readonly event: string;
}

/**
 * Reads a judged run for its renderers. A trial that cannot be read is left out; the judge has told of it.
 * @throws SquallError `run-not-judged` (input), and what reading a run throws
 */
export async function loadReport(runDir: string): Promise<ReportInput> {
  const { dir, plan, run, trials: refs } = await readRun(runDir);
  if (!run) {
    throw new SquallError(`${runDir}: has no run.json; expected a judged run`, {
      code: 'run-not-judged',
      blame: 'input',
      hint: 'Judge it first with `squall recheck`.',
    });
  }
  const trials: TrialDigest[] = [];
  for (const ref of refs.filter((one) => one.finished)) {
    try {
      trials.push(digestTrial(await readTrial(ref.dir), ref.dir));
    } catch (error) {
      if (!(error instanceof SquallError) || error.blame !== 'input') {
        throw new SquallError(`${ref.dir}: could not be read: ${describeError(error)}`, {
          code: 'report-unreadable',
          cause: error,
        });
      }
    }
  }
  return {
    dir,
    plan,
    run,
    trials,
    timelines: await loadTimelines(plan, run, trials),
    ...(await loadLines(plan, trials)),
  };
}

/** A trial's events are in memory only until its lines and graphs are made of them. */
async function loadLines(
  plan: PlanRecord,
  trials: readonly TrialDigest[],
): Promise<Pick<ReportInput, 'courses' | 'graphs'>> {
  const courses: TrialCourse[] = [];
  const graphs: TrialGraph[] = [];
  for (const scenario of plan.scenarios) {
    const plots = scenario.plots.filter(({ course, graph }) => course !== undefined || graph !== undefined);
    if (plots.length === 0) continue;
    const own = trials.filter(
      (one) => one.counted && one.suite === scenario.suite && one.scenario === scenario.scenario,
    );
    const ofScenario: TrialGraph[] = [];
    for (const trial of own) {
      const wanted = plots.filter(({ where }) => matchesPoint(trial.point, where));
      if (wanted.length === 0) continue;
      const events = await readSortedEvents(trial.dir);
      for (const plot of wanted) {
        courses.push(...coursesOf(plot, trial, events));
        ofScenario.push(...graphOf(plot, trial, events));
      }
    }
    for (const plot of plots) graphs.push(...tellingGraphs(plot, ofScenario));
  }
  return { courses, graphs };
}

async function loadTimelines(
  plan: PlanRecord,
  run: RunRecord,
  trials: readonly TrialDigest[],
): Promise<TrialTimeline[]> {
  const timelines: TrialTimeline[] = [];
  for (const scenario of plan.scenarios) {
    const plot = scenario.plots.find((one) => one.kind === 'timeline');
    const own = trials.filter((one) => one.suite === scenario.suite && one.scenario === scenario.scenario);
    const chosen = plot && mostTelling(own, plot.y, failingPoints(run));
    if (!plot || !chosen) continue;
    const [trial, events] = [await readTrial(chosen.dir), await readSortedEvents(chosen.dir)];
    timelines.push({ title: plot.title, trial, events, event: plot.y });
  }
  return timelines;
}

/** Points where the system showed its fault, expected or not: a timeline is to show what went wrong. */
function failingPoints(run: RunRecord): ReadonlySet<string> {
  const failing = run.points.filter((point) => point.checks.some((check) => check.rawVerdict === 'fail'));
  return new Set(failing.map((point) => point.pointId));
}

/** The counted trial with most events of that name, of a failing point where there is one; the first, when none has any. */
function mostTelling(
  trials: readonly TrialDigest[],
  event: string,
  failing: ReadonlySet<string>,
): TrialDigest | undefined {
  const seen = (trial: TrialDigest): number => trial.events.byName?.[event] ?? 0;
  const counted = trials.filter((trial) => trial.counted);
  const telling = counted.filter((trial) => failing.has(trial.pointId));
  const candidates = [telling, counted, trials].find((list) => list.length > 0) ?? [];
  return candidates.reduce<TrialDigest | undefined>(
    (best, trial) => (best === undefined || seen(trial) > seen(best) ? trial : best),
    undefined,
  );
}
