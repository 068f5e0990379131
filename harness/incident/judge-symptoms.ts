import { counts, judgePoint, needsEvents, observeTrial } from '../check/index.ts';
import type { CheckSpec, Point, RecordedEvent, TrialRecord, Verdict } from '../record/index.ts';

/** What must fail, and what must hold, for a trial to show the incident. */
export interface IncidentChecks {
  readonly symptoms: readonly CheckSpec[];
  readonly held: readonly CheckSpec[];
  /** How many symptoms make it: all when absent. */
  readonly need?: 'all' | 'any';
}

/** `void`: the trial proves nothing. `unclear`: its events have to be read first. */
export type Showing = 'shown' | 'hidden' | 'void' | 'unclear';

/**
 * Whether one trial shows an incident: every symptom's check fails, and what held in the field holds. Pure.
 * @param events of the trial in order of time; absent where they have not been read
 */
export function judgeSymptoms(
  checks: IncidentChecks,
  trial: TrialRecord,
  point: Point,
  events?: readonly RecordedEvent[],
): Showing {
  if (!counts(trial)) return 'void';
  const all = [...checks.symptoms, ...checks.held];
  if (events === undefined && all.some((spec) => needsEvents(spec, trial))) return 'unclear';
  const verdictOf = (spec: CheckSpec) => verdict(spec, trial, point, events ?? []);
  const symptoms = checks.symptoms.map(verdictOf);
  const held = checks.held.map(verdictOf);
  const unjudged = [...symptoms, ...held].includes('inconclusive');
  if (held.includes('fail')) return 'hidden';
  if (checks.need === 'any') {
    if (symptoms.includes('fail') && !held.includes('inconclusive')) return 'shown';
    return unjudged ? 'void' : 'hidden';
  }
  if (symptoms.includes('pass')) return 'hidden';
  return unjudged ? 'void' : 'shown';
}

/** Titles of the symptoms whose checks fail in a trial that counts. Pure. */
export function failedSymptoms(
  { symptoms }: IncidentChecks,
  trial: TrialRecord,
  point: Point,
  events: readonly RecordedEvent[] = [],
): readonly string[] {
  if (!counts(trial)) return [];
  return symptoms.filter((spec) => verdict(spec, trial, point, events) === 'fail').map(({ title }) => title);
}

function verdict(
  spec: CheckSpec,
  trial: TrialRecord,
  point: Point,
  events: readonly RecordedEvent[],
): Verdict {
  return judgePoint(spec, [trial], { point, observationOf: (one, of) => observeTrial(one, of, events) })
    .rawVerdict;
}

/** Whether any of the checks needs the events of this trial. */
export function symptomsNeedEvents({ symptoms, held }: IncidentChecks, trial: TrialRecord): boolean {
  return [...symptoms, ...held].some((spec) => needsEvents(spec, trial));
}
