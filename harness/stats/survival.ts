import { normalQuantile } from './distributions.ts';

/** When something was observed, or until when it was watched for without being seen. */
export interface Observation {
  readonly time: number;
  /** False: censored, it had not happened by `time`. */
  readonly happened: boolean;
}

export interface SurvivalStep {
  readonly time: number;
  /** Share not yet happened just after `time`. */
  readonly surviving: number;
  readonly low: number;
  readonly high: number;
  readonly atRisk: number;
  readonly happened: number;
  readonly censored: number;
}

/**
 * Kaplan–Meier curve (1958) with pointwise intervals on the log(−log) scale from Greenwood's variance, which stay
 * within 0..1. Censored observations at a time count as at risk for what happened at it.
 * @returns one step a distinct time, in order; empty for no observations
 */
export function kaplanMeier(observations: readonly Observation[], level = 0.95): SurvivalStep[] {
  const ordered = [...observations].sort((a, b) => a.time - b.time);
  const z = normalQuantile(1 - (1 - level) / 2, 0, 1);
  const steps: SurvivalStep[] = [];
  let surviving = 1;
  let greenwood = 0;
  let atRisk = ordered.length;
  for (let index = 0; index < ordered.length; ) {
    const time = (ordered[index] as Observation).time;
    let happened = 0;
    let censored = 0;
    while (index < ordered.length && ordered[index]?.time === time) {
      if (ordered[index]?.happened) happened += 1;
      else censored += 1;
      index += 1;
    }
    surviving *= 1 - happened / atRisk;
    greenwood += happened / (atRisk * (atRisk - happened));
    steps.push({ time, surviving, ...logLogBand(surviving, greenwood, z), atRisk, happened, censored });
    atRisk -= happened + censored;
  }
  return steps;
}

/** Earliest time at which at most `1 − share` survive; undefined when the curve never falls so far. */
export function survivalQuantile(steps: readonly SurvivalStep[], share: number): number | undefined {
  return steps.find((step) => step.surviving <= 1 - share + 1e-12)?.time;
}

function logLogBand(
  surviving: number,
  greenwood: number,
  z: number,
): { readonly low: number; readonly high: number } {
  if (surviving <= 0 || surviving >= 1) return { low: surviving, high: surviving };
  const half = (z * Math.sqrt(greenwood)) / Math.abs(Math.log(surviving));
  return { low: surviving ** Math.exp(half), high: surviving ** Math.exp(-half) };
}
