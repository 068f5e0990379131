import type { AdminAnswer } from './admin-answer.ts';

/** Main thread → worker. */
export type ToWorker =
  | { readonly kind: 'ask'; readonly id: number; readonly request: string; readonly body: unknown }
  | { readonly kind: 'stop' };

/** Worker → main thread. */
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: AdminAnswer }
  | { readonly kind: 'stopped' };

export interface WorkerFacts {
  readonly epoch: number;
  /** Holds the last seq; goes on over resets. */
  readonly counter: SharedArrayBuffer;
}
