/** One line of a merged timeline. */
export interface TimelineEntry {
  /** Nanoseconds of CLOCK_MONOTONIC. */
  readonly atNs: number;
  readonly node: string;
  /** `mark`: what the harness did (phases, faults); `event`; `line` of a log. */
  readonly kind: 'mark' | 'event' | 'line';
  readonly text: string;
  /** `exact`: stamped by the node's monotonic clock; `wall`: by its wall clock; `after`: not before the line above it. */
  readonly certainty: 'exact' | 'wall' | 'after';
}
