import { describeError } from '../errors/index.ts';
import {
  type CheckSpec,
  eventsUntilEnd,
  type MeasureValue,
  measureTrial,
  type PlannedScenario,
  type Point,
  type RecordedEvent,
  readSortedEvents,
  readTrial,
  type TrialRecord,
  type TrialRef,
} from '../record/index.ts';
import { needsEvents, observeTrial } from './judge-point.ts';
import { checksAt } from './judge-scenario.ts';

export interface LoadedTrials {
  readonly trials: readonly TrialRecord[];
  readonly unfinished: readonly TrialRef[];
  /** What checks observed in events, for the trials whose events had to be read. */
  readonly observations: ReadonlyMap<TrialRecord, ReadonlyMap<CheckSpec, MeasureValue | undefined>>;
  readonly errors: readonly string[];
}

/**
 * Reads one point's trials. Events are read, one trial at a time, only where a check needs them or where the trials are
 * to be measured anew; a record that cannot be read is an error and no trial.
 */
export async function loadTrials(
  refs: readonly TrialRef[],
  scenario: PlannedScenario,
  point: Point,
  measureAnew: boolean,
): Promise<LoadedTrials> {
  const trials: TrialRecord[] = [];
  const observations = new Map<TrialRecord, Map<CheckSpec, MeasureValue | undefined>>();
  const errors: string[] = [];
  for (const ref of refs.filter((one) => one.finished)) {
    try {
      const { trial, observed } = await loadTrial(ref, scenario, point, measureAnew);
      trials.push(trial);
      observations.set(trial, observed);
    } catch (error) {
      errors.push(`trial ${ref.trial}: ${describeError(error)}`);
    }
  }
  return { trials, unfinished: refs.filter((one) => !one.finished), observations, errors };
}

async function loadTrial(
  ref: TrialRef,
  scenario: PlannedScenario,
  point: Point,
  measureAnew: boolean,
): Promise<{ readonly trial: TrialRecord; readonly observed: Map<CheckSpec, MeasureValue | undefined> }> {
  const recorded = await readTrial(ref.dir);
  let events: readonly RecordedEvent[] | undefined;
  const eventsOnce = async (): Promise<readonly RecordedEvent[]> => {
    events ??= eventsUntilEnd(await readSortedEvents(ref.dir), recorded.endNs);
    return events;
  };
  const names = measureAnew && recorded.outcome === 'completed' ? (scenario.measure ?? []) : [];
  const trial =
    names.length === 0
      ? recorded
      : { ...recorded, measures: measureTrial(names, recorded, await eventsOnce()) };
  const observed = new Map<CheckSpec, MeasureValue | undefined>();
  for (const spec of checksAt(scenario, point, [trial])) {
    if (needsEvents(spec, trial)) observed.set(spec, observeTrial(spec, trial, await eventsOnce()));
  }
  return { trial, observed };
}
