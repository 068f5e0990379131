import { z } from 'zod';
import { operator } from '../bound.ts';
import type { CheckContext, Judgement } from '../definition.ts';
import { titleOf, unitOf } from '../trial-values.ts';

export const boundParameters = z.strictObject({
  measure: z.string().describe('Name of the measure; `table.key` for one entry of a table.'),
  op: operator,
  value: z.number().describe('The bound, in the unit of the measure.'),
  unit: z.string().optional(),
  /** Estimates only. `share`: the share of values that satisfy the bound must be `share` at least. */
  statistic: z
    .union([z.enum(['mean', 'median', 'share']), z.strictObject({ quantile: z.number().gt(0).lt(1) })])
    .default('mean'),
  share: z.number().gt(0).lte(1).optional(),
  /** What a null (censored) value is. Default: largest of all for quantiles and shares, no answer for the others. */
  missing: z.enum(['largest', 'smallest', 'ignore', 'inconclusive']).optional(),
});
export type MeasureBoundParameters = z.infer<typeof boundParameters>;

/** A measure's bound with the names that people read. */
export type BoundContext = CheckContext<MeasureBoundParameters>;

export function unitIn({ parameters: { measure, unit }, measures }: BoundContext): string {
  return unit ?? unitOf(measures, measure);
}

export function titleIn({ parameters: { measure }, measures }: BoundContext): string {
  return titleOf(measures, measure);
}

export function boundOf(context: BoundContext): NonNullable<Judgement['bound']> {
  return { op: context.parameters.op, value: context.parameters.value, unit: unitIn(context) };
}

export function unanswered(context: BoundContext, sentence: string): Judgement {
  return { verdict: 'inconclusive', sentence, findings: [], bound: boundOf(context) };
}
