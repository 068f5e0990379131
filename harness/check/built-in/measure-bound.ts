import type { CheckDefinition } from '../definition.ts';
import { trialValues } from '../trial-values.ts';
import { boundParameters, type MeasureBoundParameters, titleIn, unanswered } from './bound-context.ts';
import { judgeEstimate } from './estimate-bound.ts';
import { judgeInvariant } from './invariant-bound.ts';

/**
 * A measure against a bound. As an *invariant* every value of every trial must satisfy it: one violation fails, and a
 * pass prints the rate that the trials exclude. As an *estimate* the interval of a statistic must lie wholly within the
 * bound to pass and wholly outside to fail.
 */
export const measureBound: CheckDefinition<MeasureBoundParameters> = {
  parameters: boundParameters,
  judge(context) {
    const perTrial = trialValues(context.trials, context.parameters.measure);
    const without = perTrial.filter((one) => one.values.length === 0);
    if (without.length > 0) {
      const trials = without.map((one) => one.trial).join(', ');
      return unanswered(context, `${titleIn(context)} was not measured in trial ${trials}.`);
    }
    return context.spec.kind === 'estimate'
      ? judgeEstimate(context, perTrial)
      : judgeInvariant(context, perTrial);
  },
};
