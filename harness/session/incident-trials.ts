import { counts } from '../check/index.ts';
import { SquallError } from '../errors/index.ts';
import {
  failedSymptoms,
  type IncidentChecks,
  judgeSymptoms,
  type Showing,
  symptomsNeedEvents,
  TRIALS_BROKEN,
  type TrialPort,
  type Tried,
  type Trying,
} from '../incident/index.ts';
import { type Point, readRun, readSortedEvents, readTrial, type TrialRecord } from '../record/index.ts';
import {
  defaultPoint,
  type PlannedPoint,
  type ResolvedScenario,
  requireScenario,
  type ScenarioSelection,
  type ScenarioSpec,
  type TrialJudge,
} from '../scenario/index.ts';
import { checkFaults } from './check-faults.ts';
import { executeRun, type RunRequest } from './execute-run.ts';
import { makePlan } from './make-plan.ts';
import { topologyResolver } from './topology-resolver.ts';

export interface IncidentTrialsOptions extends Omit<RunRequest, 'selections' | 'judge' | 'seed' | 'signal'> {
  /** Name and folder under which the scenarios stand. */
  readonly home: { readonly suite: string; readonly folder: string };
}

/** The run machinery as searching and shrinking use it: each call is one run with a record of its own. */
export function incidentTrials(given: IncidentTrialsOptions): TrialPort {
  const resolve = given.resolver ?? topologyResolver(given.cwd === undefined ? {} : { cwd: given.cwd });
  const options = { ...given, resolver: resolve };
  return {
    async tryAll(tryings, how) {
      const prepared = prepare(options, tryings);
      const selections = prepared.flatMap(({ selection }) => (selection ? [selection] : []));
      if (selections.length === 0) return prepared.map(({ refused = '' }) => nothing(refused));
      const judge = symptomJudge(tryings, how.checks);
      const executed = await executeRun({
        ...options,
        selections: merged(selections),
        judge,
        withoutReports: true,
        seed: how.seed,
        signal: how.signal,
      });
      how.signal.throwIfAborted();
      const showings = await showingsIn(executed.dir, how.checks);
      const results = prepared.map(({ selection, refused }): Tried => {
        const [point] = selection?.points ?? [];
        if (!selection || !point) return nothing(refused ?? '');
        const mine = showings.filter(
          (one) => one.scenario === selection.scenario.name && samePoint(one.point, point),
        );
        const of = (...wanted: readonly Showing[]) =>
          mine.filter(({ showing }) => wanted.includes(showing)).length;
        const failed = [...new Set(mine.flatMap((one) => one.failed))];
        return {
          shown: of('shown'),
          counted: of('shown', 'hidden'),
          voids: of('void'),
          failed,
          dir: executed.dir,
        };
      });
      if (executed.outcome.errors.length > 0 && results.every(({ counted }) => counted === 0)) {
        throw new SquallError(`incident: no trial came to its end: ${executed.outcome.errors[0]}`, {
          code: TRIALS_BROKEN,
          facts: { run: executed.dir, errors: executed.outcome.errors },
          hint: `The record is in ${executed.dir}.`,
        });
      }
      return results;
    },
    rolesOf(spec, point) {
      const scenario = requireScenario(spec, options.home);
      const topology = resolve(scenario, { ...defaultPoint(scenario.parameters), ...point }, { warp: 1 });
      const roles: Record<string, number> = {};
      for (const { role } of topology.nodes) roles[role] = (roles[role] ?? 0) + 1;
      return roles;
    },
  };
}

interface Prepared {
  readonly selection?: ScenarioSelection;
  readonly refused?: string;
}

/** Each as a selection of a run, or why it cannot be run. The same spec at two points is one scenario. */
function prepare(options: IncidentTrialsOptions, tryings: readonly Trying[]): Prepared[] {
  const scenarios = new Map<ScenarioSpec, ResolvedScenario>();
  return tryings.map(({ spec, point, trials }) => {
    try {
      const scenario = scenarios.get(spec) ?? requireScenario(spec, options.home);
      scenarios.set(spec, scenario);
      const whole = { ...defaultPoint(scenario.parameters), ...point };
      const selection = { scenario, points: [whole], trials };
      checkFaults(makePlan({ ...options, selections: [selection], seed: 'plan' }));
      return { selection };
    } catch (error) {
      if (error instanceof SquallError && error.blame === 'input') return { refused: error.message };
      throw error;
    }
  });
}

/** One selection a scenario, so that its points are sides of one plan and take turns. */
function merged(selections: readonly ScenarioSelection[]): ScenarioSelection[] {
  const byScenario = new Map<ResolvedScenario, ScenarioSelection>();
  for (const selection of selections) {
    const known = byScenario.get(selection.scenario);
    const points = [...(known?.points ?? []), ...(selection.points ?? [])];
    byScenario.set(selection.scenario, { ...selection, points });
  }
  return [...byScenario.values()];
}

/**
 * Ends a point once its answer is clear. Trials whose symptoms need their events are not looked at while the run goes
 * on, so such a point runs to its number.
 */
function symptomJudge(tryings: readonly Trying[], checks: IncidentChecks): TrialJudge {
  return {
    decide(planned, trials) {
      const trying = tryings.find(
        ({ spec, point }) => spec.name === planned.scenario.name && agrees(planned.point, point),
      );
      const showings = trials.map((trial) => judgeSymptoms(checks, trial, planned.point));
      const shown = showings.filter((one) => one === 'shown').length;
      const counted = showings.filter((one) => one === 'shown' || one === 'hidden').length;
      const enough = counted >= planned.trials || trying?.enough?.(shown, counted) === true;
      return enough ? { action: 'stop', why: `shown in ${shown} of ${counted}` } : { action: 'continue' };
    },
    // A trial that shows the incident is what is wanted; nothing is to be diagnosed or kept.
    failed: (_point: PlannedPoint, _trial: TrialRecord) => false,
  };
}

interface TrialShowing {
  readonly scenario: string;
  readonly point: Point;
  readonly showing: Showing;
  readonly failed: readonly string[];
}

/** What each finished trial of a run shows; events are read where symptoms need them, one trial at a time. */
async function showingsIn(dir: string, checks: IncidentChecks): Promise<TrialShowing[]> {
  const { trials } = await readRun(dir);
  const showings: TrialShowing[] = [];
  for (const ref of trials.filter(({ finished }) => finished)) {
    const trial = await readTrial(ref.dir);
    const events =
      counts(trial) && symptomsNeedEvents(checks, trial) ? await readSortedEvents(ref.dir) : undefined;
    const showing = judgeSymptoms(checks, trial, trial.point, events);
    const failed = failedSymptoms(checks, trial, trial.point, events);
    showings.push({ scenario: trial.scenario, point: trial.point, showing, failed });
  }
  return showings;
}

function samePoint(a: Point, b: Point): boolean {
  return agrees(a, b) && agrees(b, a);
}

function agrees(whole: Point, part: Point): boolean {
  return Object.entries(part).every(([name, value]) => whole[name] === value);
}

function nothing(refused: string): Tried {
  return { shown: 0, counted: 0, voids: 0, refused };
}
