/** engine: finding, starting and speaking to a container engine through one narrow port. */
export type * from './types.ts';
