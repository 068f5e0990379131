import { z } from 'zod';
import { mean } from '../../stats/index.ts';
import { formatQuantity } from '../bound.ts';
import type { CheckDefinition } from '../definition.ts';
import { trialValues, unitOf } from '../trial-values.ts';

const parameters = z.strictObject({
  /** Id of the published value. */
  id: z.string(),
  measure: z.string(),
  /** How far the mean of ours may be away, in the measure's unit or as a share of theirs; without it nothing fails. */
  margin: z.number().nonnegative().optional(),
  marginRatio: z.number().nonnegative().optional(),
});

/** A figure of the source document beside ours: a difference is reported as found, and fails only when a margin is given. */
export const published: CheckDefinition<z.infer<typeof parameters>> = {
  parameters,
  judge({ parameters: { id, measure, margin, marginRatio }, trials, measures, published: values }) {
    const theirs = values.find((one) => one.id === id);
    const known = trialValues(trials, measure)
      .flatMap((one) => one.values)
      .filter((value) => value !== null);
    if (!theirs || known.length === 0) {
      const sentence = theirs
        ? `${measure} has no value to put beside "${theirs.label}".`
        : `There is no published value "${id}" at this point.`;
      return { verdict: 'inconclusive', sentence, findings: [] };
    }
    const unit = unitOf(measures, measure);
    const ours = mean(known);
    const beside =
      `Ours: ${formatQuantity(ours, unit)} (mean of ${known.length}); published: ${theirs.value} ${theirs.unit}`.trimEnd();
    const allowed =
      typeof theirs.value === 'number'
        ? Math.max(margin ?? -1, marginRatio === undefined ? -1 : Math.abs(theirs.value) * marginRatio)
        : -1;
    if (typeof theirs.value !== 'number' || allowed < 0) {
      return {
        verdict: 'pass',
        sentence: `${beside}. No margin is given, so nothing is judged.`,
        findings: [],
        estimate: ours,
      };
    }
    const away = Math.abs(ours - theirs.value);
    const within = away <= allowed;
    return {
      verdict: within ? 'pass' : 'fail',
      sentence: `${beside}; ${formatQuantity(away, unit)} apart, ${within ? 'within' : 'over'} the margin of ${formatQuantity(allowed, unit)}.`,
      estimate: ours,
      findings: within
        ? []
        : [
            {
              subject: theirs.label,
              observed: formatQuantity(ours, unit),
              expected: `${theirs.value} ± ${formatQuantity(allowed, unit)}`,
            },
          ],
    };
  },
};
