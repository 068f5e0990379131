import {
  type CheckSpec,
  type EnoughSpec,
  type ExpectationSpec,
  type MeasureSpec,
  matchesPoint,
  type Point,
  type TrialRecord,
} from '../record/index.ts';
import { estimate, levelPerLook } from '../stats/index.ts';
import { counts } from './doubts.ts';
import { judgePoint, needsEvents } from './judge-point.ts';

export interface Decision {
  readonly action: 'continue' | 'stop';
  readonly why: string;
}

/** What the runner asks after each trial of a point. */
export type Decide = (trials: readonly TrialRecord[]) => Decision;

export interface DeciderOptions {
  readonly point: Point;
  readonly checks: readonly CheckSpec[];
  readonly expectations?: readonly ExpectationSpec[];
  readonly measures?: readonly MeasureSpec[];
  /** When fewer trials than planned tell the measure well enough. */
  readonly enough?: EnoughSpec | undefined;
  /** Counted trials after which the point ends in any case. */
  readonly planned: number;
  /** Never fewer counted trials than this; default 3, or what is planned when that is less. */
  readonly minimum?: number;
}

/**
 * Decides after each trial of one point whether more are needed. It stops when the point has failed for good, or when
 * every check that judges the system is clear. An invariant is clear once it is broken (one violation is final; unbroken
 * it is clear only at the planned number, because the rate excluded depends on it), an estimate once its interval lies on
 * one side of the bound at a level divided by the number of looks (so that looking often does not raise the chance of a
 * wrong answer). Guards never decide, voids and unproven trials never count, and a point without such checks runs to its plan.
 */
export function createDecider(options: DeciderOptions): Decide {
  const judged = options.checks.filter(
    (spec) => spec.kind !== 'guard' && spec.check !== 'published' && matchesPoint(options.point, spec.where),
  );
  const minimum = options.minimum ?? Math.min(3, options.planned);
  return (trials) => {
    const counted = trials.filter(counts);
    if (counted.length >= options.planned)
      return { action: 'stop', why: `all ${options.planned} planned trials count` };
    if (options.enough && isEnough(counted, options.enough)) {
      return {
        action: 'stop',
        why: `${options.enough.measure} is known well enough after ${counted.length} trials`,
      };
    }
    if (counted.length < minimum || judged.length === 0) {
      return { action: 'continue', why: `${counted.length} of ${options.planned} trials count` };
    }
    const answers = judged.map((spec) => ({ spec, answer: clearAnswer(spec, counted, options) }));
    const failed = answers.find(({ answer }) => answer === 'fail');
    if (failed)
      return {
        action: 'stop',
        why: `"${failed.spec.title}" has failed after ${counted.length} of ${options.planned} trials`,
      };
    if (options.enough)
      return { action: 'continue', why: `${options.enough.measure} is not known well enough` };
    const open = answers.find(({ answer }) => answer === 'open');
    return open
      ? { action: 'continue', why: `"${open.spec.title}" is still open` }
      : { action: 'stop', why: `the answer is clear after ${counted.length} of ${options.planned} trials` };
  };
}

/** Equal values are as narrow as can be, though so few give no interval. */
function isEnough(counted: readonly TrialRecord[], enough: EnoughSpec): boolean {
  if (counted.length < enough.from) return false;
  const values = counted.flatMap((trial) => {
    const value = trial.measures[enough.measure];
    return typeof value === 'number' ? [value] : [];
  });
  if (values.length < counted.length) return false;
  if (values.every((value) => value === values[0])) return true;
  const { value, interval } = estimate(values, 'mean', { seed: enough.measure });
  if (!interval) return false;
  const halfWidth = Math.max(interval.high - value, value - interval.low);
  return halfWidth <= Math.max(enough.halfWidth, enough.halfWidthRatio * Math.abs(value));
}

/** What a check will say whatever the remaining trials bring, or `open`. */
function clearAnswer(
  spec: CheckSpec,
  counted: readonly TrialRecord[],
  { point, measures, expectations, planned }: DeciderOptions,
): 'pass' | 'fail' | 'open' {
  // What needs the events is judged from the record alone, after the run.
  if (counted.some((trial) => needsEvents(spec, trial))) return 'open';
  const { rawVerdict, verdict } = judgePoint(spec, counted, {
    point,
    ...(measures ? { measures } : {}),
    ...(expectations ? { expectations } : {}),
    level: levelPerLook(0.95, planned),
  });
  if (verdict === 'inconclusive') return 'open';
  return spec.kind === 'estimate' || rawVerdict === 'fail' ? verdict : 'open';
}
