/** Reads a file of /proc or /sys; `undefined` when this kernel does not have it. */
export type ReadText = (path: string) => Promise<string | undefined>;

/** One thing to watch on the host, with the threshold that is fixed before a trial's outcome is known. */
export interface HostSource {
  readonly name: string;
  readonly unit: string;
  /** Above it the trial is spoiled. Absent: shown, never decisive. */
  readonly threshold?: number;
  /** Why the threshold is what it is, for the record's reader. */
  readonly reason: string;
  /** `increase`: last reading less the first (counters). `highest`: the worst of all readings (levels). */
  readonly fold: 'increase' | 'highest';
  /** `undefined`: not on this host, or nothing to say yet. Throwing makes the host's verdict unknown. */
  read(): Promise<number | undefined>;
}
