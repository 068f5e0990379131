/** Storage nodes whose clocks agree with each other and not with the client's. */
import type { Bound } from './course.ts';
import type { Settings } from './launch-settings.ts';

/** Inside the minute by which a signature may be off. */
const OFFSET_MS = 20_000;
/** An answer that takes a second on its way is timed wrong by half of it at most. */
const WITHIN_MS = 500;

export const NODES_AHEAD: Settings = { clockOffsetMs: OFFSET_MS };

/** The client's offset is theirs. */
export const clockIsAhead = (reason: string): readonly Bound[] => [
  { measure: 'offsetMs', op: '>=', value: OFFSET_MS - WITHIN_MS, reason },
  { measure: 'offsetMs', op: '<=', value: OFFSET_MS + WITHIN_MS, reason },
];
