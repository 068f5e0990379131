/** What the rows on single holders vary. Durations are texts here, as people write them. */
import type { ParameterSpec } from '../../../harness/index.ts';

/** The release, the two changes, and both. */
export const VARIANTS = ['before', 'share', 'busy', 'share+busy'];
/** A limit that knows no silent holders. */
export const NO_SILENCE = 'no-silence';

export const variantParameter: ParameterSpec = {
  type: 'choice',
  description: 'which requester and holders',
  default: 'share',
  choices: [...VARIANTS, NO_SILENCE],
};

export const keysParameter = (otherwise: number): ParameterSpec => ({
  type: 'integer',
  description: 'keys that the holder alone has',
  default: otherwise,
  minimum: 1,
  maximum: 64,
});

export const slotsParameter: ParameterSpec = {
  type: 'integer',
  description: 'fetches that the requester has under way at a time',
  default: 8,
  minimum: 1,
};

export const timeoutParameter = (otherwise: string): ParameterSpec => ({
  type: 'duration',
  description: 'longest wait for the answer to a fetch',
  default: otherwise,
});

/** A key that fails stays away: no round brings it back while it is counted how long the queue takes. */
export const NO_ROUNDS = { verificationPollMs: 3_600_000 };

/** One requester, and holders that have what it is told to fetch. */
export const stageOf = (
  point: Readonly<Record<string, unknown>>,
  settings: { readonly holders: number; readonly holder: Readonly<Record<string, string | number>> },
) => ({
  variant: String(point['variant']),
  counts: { holder: settings.holders },
  settings: {
    holder: settings.holder,
    joiner: {
      ...NO_ROUNDS,
      fetchConcurrency: Number(point['slots']),
      fetchTimeoutMs: Number(point['timeout']),
    },
  },
});
