import { z } from 'zod';
import { bytes, duration } from './unit-text.ts';

const compared = z
  .strictObject({
    measure: z.string().describe('Measure of the scenario.'),
    better: z.enum(['lower', 'higher']),
    margin: z
      .number()
      .min(0)
      .describe('In the measure’s unit: a candidate worse by no more than this counts as no worse.'),
    statistic: z.enum(['mean', 'median']).optional().describe('Over the waves; the mean by default.'),
    openAs: z
      .string()
      .optional()
      .describe(
        'Measure of how far each wave was watched, in the same unit. Where it did not happen until then, it counts as that much at least, ranked last.',
      ),
    reason: z.string().optional().describe('Why the margin is what it is.'),
  })
  .refine(({ better, openAs }) => openAs === undefined || better === 'lower', {
    path: ['openAs'],
    message: 'expected only where lower is better: what was not seen to happen took at least so long',
  });

/** How a release is rehearsed on a topology: which scenario makes a wave, who runs what, and what counts as no worse. */
export const rehearsalDocument = z
  .strictObject({
    suite: z.string().describe('Suite or scenario file that makes a wave, relative to this file.'),
    scenario: z.string().optional().describe('Which of its scenarios, where it has several.'),
    candidate: z
      .array(z.string())
      .min(1)
      .describe(
        'Roles that run the side’s own image: the candidate’s on its side, the baseline’s on the other.',
      ),
    baseline: z
      .array(z.string())
      .default([])
      .describe(
        'Roles that run the baseline’s image on every side. Other roles keep the image of the topology.',
      ),
    waves: z.int().min(2).default(5).describe('Waves a side before the first look.'),
    mostWaves: z.int().min(2).default(20).describe('Waves a side after which it ends, clear or not.'),
    looks: z
      .int()
      .min(1)
      .max(20)
      .default(4)
      .describe('How often at most the sides are compared on the way; each look asks for a wider interval.'),
    set: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .default({})
      .describe('Parameters of the scenario.'),
    shrinkTo: z
      .record(z.string(), z.int().min(0))
      .optional()
      .describe(
        'Whole-number parameters that make the size of a wave, each with its least: where the host has no room for the wave, or spoils every one, all are made smaller in proportion.',
      ),
    primary: compared.describe('The measure that decides, besides `noMore` and losses.'),
    noMore: z
      .array(compared)
      .optional()
      .describe(
        'Measures of which a candidate must not have more than the baseline has: worse decides, as the primary does. For what a release has some of itself.',
      ),
    secondary: z.array(compared).default([]),
    noLoss: z
      .array(z.string())
      .min(1)
      .describe('Measures of what is lost: above 0 in any wave decides at once.'),
    rolling: z
      .strictObject({
        event: z.string().describe('Said by a node once it serves.'),
        timeout: duration.default(120_000).describe('Within this time after it is ready.'),
      })
      .optional()
      .describe(
        'With --rolling, what a node says, besides being ready, before the next one becomes another version.',
      ),
    abort: z
      .strictObject({
        diskFree: bytes.optional().describe('Least free space under reports/ and the engine’s data.'),
        memoryFree: bytes.optional().describe('Least free memory between waves.'),
      })
      .default({}),
    diskPerWave: bytes
      .optional()
      .describe('What the nodes of one wave write, for the forecast; gone again when the wave ends.'),
  })
  .describe('How `squall rehearse` compares a candidate with a baseline on this topology.');

export type RehearsalSpec = z.output<typeof rehearsalDocument>;
