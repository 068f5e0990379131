/** scenario: scenarios as data, their planning and running, and the trial records they leave. */
export type * from './types.ts';
