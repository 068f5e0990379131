/**
 * timeline: everything that happened in a recorded trial, of all nodes, in one order.
 *
 *   mergeTimeline(trialDir, filter) ─▶ phases, faults, events and log lines, merged as they are read
 *
 * Events carry the host's monotonic clock. A log line without a time of its own stands after the line before it in its
 * node's log; one with a wall clock stamp is placed by that. Not here: logs of beds that are up (`testnet`).
 */
export type { TimelineEntry } from './entry.ts';
export { mergeTimeline, type TimelineFilter } from './merge-timeline.ts';
export { timedLines, type WallAnchor } from './timed-lines.ts';
