import { z } from 'zod';
import { SquallError } from '../errors/index.ts';
import { parseDurationMs, parseRatio } from '../units/index.ts';

const value = z.union([z.string(), z.number(), z.boolean()]);
const where = z.record(z.string(), z.union([value, z.array(value).min(1)]));

export const duration = z
  .string({ error: 'expected a duration such as 20m' })
  .refine(isDuration, 'expected a duration such as 20m or 1h30m')
  .describe('a duration such as 20m or 1h30m');

function isDuration(text: string): boolean {
  try {
    return parseDurationMs(text) >= 0;
  } catch (error) {
    if (error instanceof SquallError) return false;
    throw error;
  }
}

function isRatio(text: string): boolean {
  try {
    return parseRatio(text) >= 0;
  } catch (error) {
    if (error instanceof SquallError) return false;
    throw error;
  }
}

const entry = z.strictObject({
  suite: z.string().min(1).describe('folder of a suite, or a single scenario file'),
  scenario: z.string().optional().describe('only this scenario'),
  grid: z.string().optional().describe('grid of points; the default grids when left out'),
  where: where.optional().describe('only points with these values of their parameters'),
  trials: z.int().min(1).optional().describe("trials a point, in place of the suite's number"),
  mutants: z
    .union([z.literal('all'), z.array(z.string().min(1)).min(1)])
    .optional()
    .describe('instead of a grid: the mutants that the scenarios of the suite claim to kill'),
  must: z.boolean().default(false).describe('never left out; a budget too small for it is refused'),
  tags: z.array(z.string().min(1)).default([]).describe('names by which --tag picks entries'),
});

const relative = z.strictObject({
  suite: z.string().optional().describe('name of the suite, where two have a scenario of that name'),
  scenario: z.string(),
  measure: z.string(),
  better: z.enum(['lower', 'higher']),
  atMost: z
    .string()
    .refine(isRatio, 'expected a share such as 10%')
    .optional()
    .describe('worse than the baseline by at most this share of it, such as 10%'),
  margin: z.number().min(0).optional().describe("or by at most this, in the measure's unit"),
  where: where.optional().describe('only points with these values of their parameters'),
  reason: z.string().optional(),
});

const entries = z.array(entry).min(1);

/** The shape of `gate.yaml`. */
export const GATE = z
  .strictObject({
    $schema: z.string().optional(),
    name: z.string().min(1).default('release'),
    budget: duration.optional().describe('time that a call without --budget may plan for'),
    quick: entries.describe('what --quick runs; what stands first is kept first'),
    baseline: z
      .string()
      .optional()
      .describe('what the relative bounds refer to: a file, a name under baselines/, a run'),
    relative: z.array(relative).min(1).optional().describe('bounds relative to a baseline'),
    full: entries.optional().describe('what --full runs; the same as quick when left out'),
  })
  .describe('What guards a release');

export type GateConfig = z.infer<typeof GATE>;
/** What of one suite a gate runs: a grid's points, or mutants. */
export type GateEntry = z.infer<typeof entry>;

/** JSON Schema of gate files, for editors and for `squall schema gate`. */
export function gateSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(GATE, { io: 'input' });
}
