import type { ChunkKey } from './chunk-key.ts';
import type { FetchRequest } from './fetch-responder.ts';

export const TREATMENTS = ['normal', 'silence', 'not-found', 'error', 'bad-chunk', 'busy'] as const;
export type Treatment = (typeof TREATMENTS)[number];

/** How a holder treats requests for single keys, where a scenario wants it to misbehave; they are not admitted and take no slot. */
export class KeyTreatments {
  readonly counts: Record<Treatment, number> = {
    normal: 0,
    silence: 0,
    'not-found': 0,
    error: 0,
    'bad-chunk': 0,
    busy: 0,
  };
  readonly #treatments = new Map<ChunkKey, { readonly as: Treatment; readonly waitMs: number }>();

  /** @param waitMs the wait that a busy answer names */
  set(keys: readonly ChunkKey[], as: Treatment, waitMs: number): void {
    for (const key of keys) {
      if (as === 'normal') this.#treatments.delete(key);
      else this.#treatments.set(key, { as, waitMs });
    }
  }

  /** @returns whether the request was dealt with */
  apply(request: FetchRequest): boolean {
    const treatment = this.#treatments.get(request.key);
    if (!treatment) return false;
    const { as, waitMs } = treatment;
    this.counts[as] += 1;
    if (as === 'not-found') void request.reply({ kind: 'not-found' });
    if (as === 'error') void request.reply({ kind: 'error', reason: 'asked for' });
    if (as === 'bad-chunk') void request.reply({ kind: 'chunk', bytes: Buffer.from(request.key) });
    if (as === 'busy') void request.reply({ kind: 'busy', waitMs });
    return true;
  }
}
