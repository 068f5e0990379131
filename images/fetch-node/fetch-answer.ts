/** What a holder answers to a fetch. */
export type FetchAnswer =
  | { readonly kind: 'chunk'; readonly bytes: Uint8Array }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'error'; readonly reason: string }
  /** Come again: not before `waitMs`. */
  | { readonly kind: 'busy'; readonly waitMs: number };

export type FetchOutcome = 'ok' | 'timeout' | 'busy' | 'failed' | 'cancelled';
