import { z } from 'zod';
import { type MeasureValue, matchesEvent, type RecordedEvent, type TrialRecord } from '../../record/index.ts';
import { excludedRate } from '../../stats/index.ts';
import { formatNumber, operator, satisfies } from '../bound.ts';
import type { CheckContext, CheckDefinition, Judgement } from '../definition.ts';

const wanted = {
  event: z.string(),
  where: z.record(z.string(), z.unknown()).optional(),
  /** Only events of these nodes. */
  nodes: z.array(z.string()).optional(),
  /** Only events within the phase of this name. */
  phase: z.string().optional(),
};
const countParameters = z.strictObject({ ...wanted, op: operator, value: z.number() });
const noneParameters = z.strictObject(wanted);

type Wanted = z.infer<typeof noneParameters>;

/** A count by name is in trial.json already; anything finer needs the events themselves. */
function needsEvents(parameters: Wanted, trial: TrialRecord): boolean {
  const plain = !parameters.where && !parameters.nodes && !parameters.phase;
  return !(plain && trial.events.byName !== undefined);
}

function count(
  trial: TrialRecord,
  events: readonly RecordedEvent[],
  parameters: Wanted,
): MeasureValue | undefined {
  if (!needsEvents(parameters, trial)) return trial.events.byName?.[parameters.event] ?? 0;
  const phase = trial.phases.find((one) => one.name === parameters.phase);
  if (parameters.phase !== undefined && !phase) return undefined;
  const nodes = parameters.nodes && new Set(parameters.nodes);
  const { event, where } = parameters;
  return events.filter(
    (one) =>
      matchesEvent(one, { event, ...(where ? { where } : {}) }, nodes) &&
      (!phase || (one.atNs >= phase.startNs && one.atNs < phase.endNs)),
  ).length;
}

function judge(context: CheckContext<Wanted>, op: z.infer<typeof operator>, bound: number): Judgement {
  const { event } = context.parameters;
  const trials = context.trials.map((trial, index) => ({ trial, seen: context.observations[index] }));
  const unseen = trials.filter(({ seen }) => typeof seen !== 'number');
  if (unseen.length > 0) {
    return {
      verdict: 'inconclusive',
      sentence: `Events "${event}" could not be counted in trial ${unseen.map(({ trial }) => trial.trial).join(', ')}: there is no phase "${context.parameters.phase}".`,
      findings: [],
    };
  }
  const wrong = trials.filter(({ seen }) => !satisfies(seen as number, op, bound));
  const gaps = trials.filter(({ trial }) => trial.events.lost > 0 || trial.events.truncated);
  const base = { bound: { op, value: bound, unit: 'events' } as const };
  if (wrong.length > 0) {
    return {
      ...base,
      verdict: 'fail',
      sentence: `"${event}" ${op} ${bound} was violated in ${wrong.length} of ${trials.length} trials.`,
      findings: wrong.slice(0, 20).map(({ trial, seen }) => ({
        subject: `events "${event}"`,
        observed: String(seen),
        expected: `${op} ${bound}`,
        trial: trial.trial,
      })),
    };
  }
  // An absent event may be a lost one: a count that passes needs a stream without gaps.
  if (gaps.length > 0) {
    return {
      ...base,
      verdict: 'inconclusive',
      sentence: `"${event}" ${op} ${bound} seems to hold, but events were lost in ${gaps.length} of ${trials.length} trials.`,
      findings: [],
    };
  }
  const excludes = excludedRate(0, trials.length);
  return {
    ...base,
    verdict: 'pass',
    excludesRate: excludes,
    sentence: `"${event}" ${op} ${bound} held in ${trials.length} of ${trials.length} trials, which excludes a violation rate above ${formatNumber(excludes * 100)} %.`,
    findings: [],
  };
}

/** How often an event came in each trial, against a bound. */
export const eventCount: CheckDefinition<z.infer<typeof countParameters>> = {
  parameters: countParameters,
  needsEvents,
  observe: count,
  judge: (context) => judge(context, context.parameters.op, context.parameters.value),
};

/** An event that must not come at all. */
export const noEvent: CheckDefinition<Wanted> = {
  parameters: noneParameters,
  needsEvents,
  observe: count,
  judge: (context) => judge(context, '=', 0),
};
