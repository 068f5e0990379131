import { z } from 'zod';

export const BUNDLE_VERSION = 1;
export const MANIFEST = 'manifest.json';

const verdict = z.enum(['pass', 'fail', 'inconclusive']);

export const manifestSchema = z.object({
  bundleVersion: z.literal(BUNDLE_VERSION),
  squallVersion: z.string(),
  runId: z.string(),
  seed: z.string(),
  /** What was asked of `squall`, secrets redacted. */
  command: z.array(z.string()),
  verdict: verdict.optional(),
  /** Every check as it was judged, for the replay to be held against. */
  checks: z.array(z.object({ pointId: z.string(), title: z.string(), verdict })),
  /** Images that the run's nodes were made of, with the engine's id of their content. */
  images: z.array(z.object({ image: z.string(), imageId: z.string() })),
  /** Suites whose code is needed to run it again. */
  suites: z.array(z.string()),
  /** What is in the run and not in here, and why. */
  leftOut: z.array(z.string()),
  files: z.array(
    z.object({
      path: z.string(),
      what: z.string(),
      sizeBytes: z.number().int().min(0),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});

/** What a bundle says of itself, its first file. */
export type BundleManifest = z.output<typeof manifestSchema>;
export type BundledFile = BundleManifest['files'][number];
