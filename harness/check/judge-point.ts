import { describeError, SquallError } from '../errors/index.ts';
import {
  type CheckResult,
  type CheckSpec,
  type ExpectationSpec,
  type MeasureSpec,
  type MeasureValue,
  matchesPoint,
  type Point,
  type PublishedValue,
  type TrialRecord,
  type Verdict,
} from '../record/index.ts';
import type { CheckDefinition, Judgement } from './definition.ts';
import { counts, doubts, faultDoubts } from './doubts.ts';
import { checkProblems, findCheck } from './registry.ts';

/** What judging a point needs besides its trials. */
export interface PointContext {
  readonly point: Point;
  readonly measures?: readonly MeasureSpec[];
  readonly published?: readonly PublishedValue[];
  readonly expectations?: readonly ExpectationSpec[];
  readonly level?: number;
  /** What a check observed in a trial's events, where it needs them: from `observeTrial`. */
  readonly observationOf?: (spec: CheckSpec, trial: TrialRecord) => MeasureValue | undefined;
}

/** A check that could not be judged because of a fault of ours; the run's exit code says so. */
export interface BrokenCheck {
  readonly title: string;
  readonly error: string;
}

/**
 * Judges one check over all trials of one point. Pure: the same trials always give the same answer.
 * Only completed trials whose faults bit and were seen gone, on a host that was watched and quiet, are counted (guards look at
 * all completed ones); no counted trial is inconclusive, never a pass.
 * @param broken is told when the check itself is at fault: unknown, wrong parameters, or it threw
 */
export function judgePoint(
  spec: CheckSpec,
  trials: readonly TrialRecord[],
  context: PointContext,
  broken: (problem: BrokenCheck) => void = () => undefined,
): CheckResult {
  const judgement = rawJudgement(spec, trials, context, broken);
  const expectation = context.expectations?.find(
    (one) => (one.check === spec.title || one.check === spec.check) && matchesPoint(context.point, one.where),
  );
  const { verdict: rawVerdict, sentence, findings, ...numbers } = judgement;
  return {
    title: spec.title,
    check: spec.check,
    kind: spec.kind,
    rawVerdict,
    ...turn(rawVerdict, sentence, expectation),
    ...(spec.reason === undefined ? {} : { reason: spec.reason }),
    ...numbers,
    findings,
  };
}

/** An expected failure that fails passes; one that passes is a surprise, and fails. */
function turn(
  rawVerdict: Verdict,
  sentence: string,
  expectation: ExpectationSpec | undefined,
): Pick<CheckResult, 'verdict' | 'sentence' | 'expected'> {
  if (!expectation) return { verdict: rawVerdict, sentence };
  const expected = expectation.outcome;
  if (rawVerdict === 'inconclusive') return { verdict: 'inconclusive', sentence, expected };
  if (rawVerdict === expected) {
    return {
      verdict: 'pass',
      sentence: expected === 'fail' ? `Failed, as it must here. ${sentence}` : sentence,
      expected,
    };
  }
  return {
    verdict: 'fail',
    expected,
    sentence: expected === 'fail' ? `Passed, but must fail here. ${sentence}` : sentence,
  };
}

function rawJudgement(
  spec: CheckSpec,
  trials: readonly TrialRecord[],
  context: PointContext,
  broken: (problem: BrokenCheck) => void,
): Judgement {
  const problems = checkProblems(spec);
  if (problems.length > 0) {
    broken({ title: spec.title, error: problems.join('; ') });
    return {
      verdict: 'inconclusive',
      sentence: `Could not be judged: ${problems.join('; ')}.`,
      findings: [],
    };
  }
  const completed = trials.filter((trial) => trial.outcome === 'completed');
  const counted = spec.kind === 'guard' ? completed : completed.filter(counts);
  if (counted.length === 0)
    return { verdict: 'inconclusive', sentence: whyNone(trials, completed), findings: [] };
  const definition = findCheck(spec.check) as CheckDefinition<unknown>;
  try {
    const parameters = definition.parameters.parse(spec.parameters);
    const observe = context.observationOf ?? ((_spec, trial) => observeTrial(spec, trial, []));
    return definition.judge({
      parameters,
      spec,
      point: context.point,
      trials: counted,
      observations: counted.map((trial) => (definition.observe ? observe(spec, trial) : undefined)),
      measures: context.measures ?? [],
      published: context.published ?? [],
      level: context.level ?? 0.95,
    });
  } catch (error) {
    broken({ title: spec.title, error: describeError(error) });
    return {
      verdict: 'inconclusive',
      sentence: `Could not be judged: ${describeError(error)}`,
      findings: [],
    };
  }
}

function whyNone(trials: readonly TrialRecord[], completed: readonly TrialRecord[]): string {
  if (trials.length === 0) return 'No trial ran.';
  if (completed.length > 0) {
    const [first] = completed.flatMap(doubts);
    const why = `(${first?.subject} was ${first?.observed})`;
    return completed.every((trial) => faultDoubts(trial).length > 0)
      ? `No trial counts: in none of ${completed.length} were all faults seen to act and to be gone ${why}.`
      : `No trial counts: none of ${completed.length} proves anything ${why}.`;
  }
  const outcomes = [...new Set(trials.map((trial) => trial.outcome))];
  const ended = outcomes
    .map((outcome) => `${trials.filter((trial) => trial.outcome === outcome).length} ${outcome}`)
    .join(', ');
  const reasons = [
    ...new Set(trials.flatMap((trial) => trial.reasons.map((reason) => reason.slice(0, 120)))),
  ];
  const why =
    reasons.length === 0 ? '' : ` (${reasons.slice(0, 3).join('; ')}${reasons.length > 3 ? '; …' : ''})`;
  return `No trial counts: ${ended}${why}.`;
}

/** Whether a check has to be given a trial's events to be judged. */
export function needsEvents(spec: CheckSpec, trial: TrialRecord): boolean {
  const definition = findCheck(spec.check);
  const parsed = definition?.parameters.safeParse(spec.parameters);
  return parsed?.success === true && definition?.needsEvents?.(parsed.data, trial) === true;
}

/** What a check takes from one trial. @throws SquallError `bad-check` when its parameters are wrong */
export function observeTrial(
  spec: CheckSpec,
  trial: TrialRecord,
  events: Parameters<NonNullable<CheckDefinition<unknown>['observe']>>[1],
): MeasureValue | undefined {
  const definition = findCheck(spec.check);
  if (!definition?.observe) return undefined;
  const parsed = definition.parameters.safeParse(spec.parameters);
  if (!parsed.success) {
    throw new SquallError(`check "${spec.title}": ${checkProblems(spec).join('; ')}`, {
      code: 'bad-check',
      blame: 'input',
    });
  }
  return definition.observe(trial, events, parsed.data);
}
