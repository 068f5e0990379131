import { SquallError } from '../errors/index.ts';
import type { CheckSpec } from '../record/index.ts';
import type { Baseline } from './baseline-file.ts';
import type { ScaleOf } from './calibrate.ts';

/** "No more than 10 % worse than the baseline", for one measure of one scenario. */
export interface RelativeBound {
  readonly suite?: string;
  readonly scenario: string;
  readonly measure: string;
  readonly better: 'lower' | 'higher';
  /** Share of the baseline, 0..1, by which it may be worse; or `margin`, in the measure's unit. */
  readonly marginRatio?: number;
  readonly margin?: number;
  readonly where?: CheckSpec['where'];
  readonly reason?: string;
}

/**
 * The checks that hold a scenario against a baseline. Its figures stand in their parameters, so that a run can be judged
 * again from its record when the baseline's file has changed. Only points at real speed are taken: so are the gate's.
 * @throws SquallError `unknown-measure` (input) when the baseline has nothing of it at any point of the scenario
 */
export function baselineChecks(
  scenario: { readonly suite: string; readonly name: string },
  bounds: readonly RelativeBound[],
  baseline: Baseline,
  scaleOf: ScaleOf,
): CheckSpec[] {
  return bounds
    .filter((bound) => bound.scenario === scenario.name && (bound.suite ?? scenario.suite) === scenario.suite)
    .map((bound) => {
      const points = baseline.points.flatMap((one) => {
        const found = one.measures[bound.measure];
        const own = one.suite === scenario.suite && one.scenario === scenario.name && one.warp === 1;
        return found && own ? [{ point: one.point, values: found.values }] : [];
      });
      if (points.length === 0) {
        throw new SquallError(
          `baseline ${baseline.name}: has no values of ${bound.measure} in ${scenario.suite}/${scenario.name}, which a relative bound names.`,
          {
            code: 'unknown-measure',
            blame: 'input',
            hint: `See what it has: squall baseline show ${baseline.name}`,
          },
        );
      }
      const scale = scaleOf(scenario.suite, scenario.name, bound.measure);
      return {
        check: 'baseline-bound',
        title: `${bound.measure} against the baseline ${baseline.name}`,
        kind: 'estimate',
        parameters: {
          measure: bound.measure,
          better: bound.better,
          ...(bound.marginRatio !== undefined && { marginRatio: bound.marginRatio }),
          ...(bound.margin !== undefined && { margin: bound.margin }),
          baseline: { name: baseline.name, points },
          ...(scale && { scale }),
        },
        ...(bound.where && { where: bound.where }),
        ...(bound.reason !== undefined && { reason: bound.reason }),
      };
    });
}
