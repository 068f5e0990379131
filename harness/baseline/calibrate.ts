import { SquallError } from '../errors/index.ts';
import type { HostClass } from '../record/index.ts';
import { ratioOfMeans, type Stratum } from '../stats/index.ts';
import type { Baseline, BaselinePoint } from './baseline-file.ts';
import { machineClassText, sameMachineClass } from './machine-class.ts';

/** How many times as much of a measure this machine shows as the baseline's, with the 95 % interval. */
export interface Scale {
  readonly factor: number;
  readonly low: number;
  readonly high: number;
}

export type ScaleOf = (suite: string, scenario: string, measure: string) => Scale | undefined;

/**
 * Says how a baseline may be held against runs on this machine: as it is on one of its class; rescaled by a calibration
 * (a run, here, of the very software that the baseline was taken of) on another.
 * @throws SquallError `baseline-other-machine` without a calibration, `calibration-other-machine`, and from the function
 * returned `calibration-too-weak` where the calibration has too little of a measure (all input)
 */
export function scaleFor(baseline: Baseline, here: HostClass, calibration?: Baseline): ScaleOf {
  if (sameMachineClass(baseline.host, here)) return () => undefined;
  const [theirs, ours] = [machineClassText(baseline.host), machineClassText(here)];
  if (!calibration) {
    throw new SquallError(`baseline ${baseline.name}: was taken on ${theirs}; this is ${ours}.`, {
      code: 'baseline-other-machine',
      blame: 'input',
      hint: `Save a baseline here, or run what it was taken of here and give that run with --calibration.`,
    });
  }
  if (!sameMachineClass(calibration.host, here)) {
    throw new SquallError(
      `calibration ${calibration.name}: was made on ${machineClassText(calibration.host)}; expected a run on this machine, ${ours}.`,
      { code: 'calibration-other-machine', blame: 'input' },
    );
  }
  return (suite, scenario, measure) => {
    const strata = sharedStrata(baseline, calibration, suite, scenario, measure);
    const { ratio, interval } = ratioOfMeans(strata);
    if (interval && Number.isFinite(ratio)) return { factor: ratio, low: interval.low, high: interval.high };
    throw new SquallError(
      `calibration ${calibration.name}: shares ${strata.length} points of ${suite}/${scenario} with the baseline, too little to rescale ${measure}.`,
      {
        code: 'calibration-too-weak',
        blame: 'input',
        hint: 'Run at least two trials of it at a point of the baseline; more make the factor surer.',
      },
    );
  };
}

function sharedStrata(
  baseline: Baseline,
  calibration: Baseline,
  suite: string,
  scenario: string,
  measure: string,
): Stratum[] {
  const keyOf = (point: BaselinePoint): string =>
    JSON.stringify([Object.entries(point.point).sort(), point.warp]);
  const of = (one: Baseline): BaselinePoint[] =>
    one.points.filter(
      (point) => point.suite === suite && point.scenario === scenario && measure in point.measures,
    );
  return of(baseline).flatMap((point) => {
    const same = of(calibration).find((other) => keyOf(other) === keyOf(point));
    const [before, now] = [point.measures[measure]?.values, same?.measures[measure]?.values];
    return before && now ? [{ baseline: before, candidate: now }] : [];
  });
}
