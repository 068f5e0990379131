import { z } from 'zod';
import { SquallError } from '../errors/index.ts';
import { type HostClass, hostClassSchema, type Point } from '../record/index.ts';

export const BASELINE_VERSION = 1;

/** Figures of one run, kept in the repository to hold later ones against. */
export interface Baseline {
  readonly baselineVersion: number;
  readonly name: string;
  readonly savedAt: string;
  readonly runId: string;
  readonly squallVersion: string;
  /** Of the repository that the run was made in, where there is one. */
  readonly commit?: string;
  readonly host: HostClass;
  readonly points: readonly BaselinePoint[];
}

export interface BaselinePoint {
  readonly suite: string;
  readonly scenario: string;
  readonly point: Point;
  readonly pointId: string;
  readonly warp: number;
  /** Each measure with one value a trial that counts; a sample within a trial is its mean. */
  readonly measures: Readonly<Record<string, { readonly unit: string; readonly values: readonly number[] }>>;
}

// Loose objects: a later Squall of the same version may add fields.
const object = z.looseObject;
const schema = object({
  baselineVersion: z.number().int(),
  name: z.string(),
  savedAt: z.string(),
  runId: z.string(),
  squallVersion: z.string(),
  commit: z.exactOptional(z.string()),
  host: hostClassSchema,
  points: z.array(
    object({
      suite: z.string(),
      scenario: z.string(),
      point: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
      pointId: z.string(),
      warp: z.number().positive(),
      measures: z.record(z.string(), object({ unit: z.string(), values: z.array(z.number()) })),
    }),
  ),
});

/** @throws SquallError `baseline-damaged`, `baseline-too-new` (input) */
export function parseBaseline(text: string, file: string): Baseline {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    throw new SquallError(`baseline ${file}: is not JSON.`, {
      code: 'baseline-damaged',
      blame: 'input',
      cause: error,
    });
  }
  const version = (raw as { baselineVersion?: unknown } | null)?.baselineVersion;
  if (typeof version === 'number' && version > BASELINE_VERSION) {
    throw new SquallError(
      `baseline ${file}: is of version ${version}; this Squall reads up to version ${BASELINE_VERSION}.`,
      { code: 'baseline-too-new', blame: 'input', hint: 'Use a later Squall, or save it again.' },
    );
  }
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data as Baseline;
  const problems = parsed.error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new SquallError(`baseline ${file}: is none; ${problems.join('; ')}.`, {
    code: 'baseline-damaged',
    blame: 'input',
    hint: 'Save one with `squall baseline save RUN --name NAME`.',
  });
}
