import { describeError, SquallError } from '../errors/index.ts';
import { processWide } from './process-wide.ts';
import type { MeasureValue, RecordedEvent, TrialRecord } from './types.ts';

/**
 * A pure function over a finished trial, run by the acting side when the trial ends and again by `recheck --with`.
 * Events come in order of `atNs`. A measure that could not be observed is `null` (censored), never a guess.
 */
export type TrialMeasure = (
  trial: Omit<TrialRecord, 'measures'>,
  events: readonly RecordedEvent[],
) => Readonly<Record<string, MeasureValue>>;

const measures = processWide<TrialMeasure>('measures');

/**
 * Registers a measure predicate under a name that scenarios list in `measure`.
 * @throws SquallError `measure-clash` when the name is taken by different code
 */
export function registerMeasure(name: string, measure: TrialMeasure): void {
  const known = measures.get(name);
  if (known && known.toString() !== measure.toString()) {
    throw new SquallError(`measure "${name}": registered twice; expected one meaning a name`, {
      code: 'measure-clash',
      blame: 'input',
      hint: 'Rename one of the two.',
    });
  }
  measures.set(name, measure);
}

/**
 * The events that a trial is judged by. What a node says after the end is no part of it (faults are being lifted, the bed is
 * being put right); what the harness does then is.
 */
export function eventsUntilEnd(events: readonly RecordedEvent[], endNs: number): readonly RecordedEvent[] {
  return events.filter(({ atNs, node }) => atNs <= endNs || node === 'harness');
}

/** Names of all registered measures, sorted. */
export function registeredMeasures(): readonly string[] {
  return [...measures.keys()].sort();
}

/**
 * Runs the named measures over a trial. Values of several measures are put together.
 * @param events in any order; they are sorted by `atNs` here
 * @throws SquallError `unknown-measure` (input), `measure-threw`, `measure-value-clash` (harness)
 */
export function measureTrial(
  names: readonly string[],
  trial: Omit<TrialRecord, 'measures'>,
  events: readonly RecordedEvent[],
): Readonly<Record<string, MeasureValue>> {
  const ordered = [...events].sort((a, b) => a.atNs - b.atNs);
  const values: Record<string, MeasureValue> = {};
  for (const name of names) {
    const measure = measures.get(name);
    if (!measure) {
      throw new SquallError(
        `measure "${name}": not registered; known: ${registeredMeasures().join(', ') || 'none'}`,
        { code: 'unknown-measure', blame: 'input', hint: 'Register it in the suite with registerMeasure().' },
      );
    }
    for (const [key, value] of Object.entries(runMeasure(name, measure, trial, ordered))) {
      if (key in values) {
        throw new SquallError(`measure "${name}": gives "${key}", which another measure gave already`, {
          code: 'measure-value-clash',
        });
      }
      values[key] = value;
    }
  }
  return values;
}

function runMeasure(
  name: string,
  measure: TrialMeasure,
  trial: Omit<TrialRecord, 'measures'>,
  events: readonly RecordedEvent[],
): Readonly<Record<string, MeasureValue>> {
  try {
    return measure(trial, events);
  } catch (error) {
    throw new SquallError(
      `measure "${name}": threw on trial ${trial.trial} of ${trial.pointId}: ${describeError(error)}`,
      {
        code: 'measure-threw',
        cause: error,
      },
    );
  }
}
