/** units: text ↔ numbers with units in their names. Durations in ms, sizes in bytes, shares as ratios 0..1. */

export { formatBytes, parseBytes } from './bytes.ts';
export { formatDurationMs, parseDurationMs } from './duration.ts';
export { parseRatio } from './ratio.ts';
