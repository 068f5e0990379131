import { z } from 'zod';
import { SquallError } from '../errors/index.ts';
import { parseBytes, parseDurationMs, parseRatio } from '../units/index.ts';

const value = z.union([z.string(), z.number(), z.boolean()]);
const where = z.record(z.string(), z.union([value, z.array(value).min(1)]));

const duration = z
  .string({ error: 'expected a duration such as 20m' })
  .refine((text) => fits(text, parseDurationMs), 'expected a duration such as 20m or 1h30m')
  .describe('a duration such as 20m or 1h30m');

/** Whether a text is one that the reader of its kind takes. */
function fits(text: string, read: (text: string) => number): boolean {
  try {
    return read(text) >= 0;
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
    .refine((text) => fits(text, parseRatio), 'expected a share such as 10%')
    .optional()
    .describe('worse than the baseline by at most this share of it, such as 10%'),
  margin: z.number().min(0).optional().describe("or by at most this, in the measure's unit"),
  where: where.optional().describe('only points with these values of their parameters'),
  reason: z.string().optional(),
});

const waiver = z.strictObject({
  suite: z.string().optional().describe('name of the suite, where two have a scenario of that name'),
  scenario: z.string(),
  check: z.string().describe('title of the check'),
  where: where.optional().describe('only points with these values of their parameters'),
  owner: z.string().min(1).describe('who answers for it'),
  until: z.iso.date().describe('last day on which it holds, such as 2026-12-31'),
  reason: z.string().min(1),
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
      .describe(
        'what the relative bounds refer to: a file, a name under baselines/, a run; newest: the newest under baselines/ of this class of machine, without which they are left out and the result says so',
      ),
    relative: z.array(relative).min(1).optional().describe('bounds relative to a baseline'),
    waivers: z.array(waiver).optional().describe('failures that somebody answers for until a day'),
    retention: z
      .strictObject({
        runs: z.int().min(1).optional().describe('newest runs that stay'),
        size: z
          .string()
          .refine((text) => fits(text, parseBytes), 'expected a size such as 2GiB')
          .optional(),
        age: duration.optional(),
      })
      .optional()
      .describe('runs under reports/ beyond this are removed after the gate, oldest first'),
    history: z
      .string()
      .optional()
      .describe('file that remembers how checks ended; gate-history.json under reports/ when left out'),
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
