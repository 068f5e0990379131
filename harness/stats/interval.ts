/** An interval with its level and the method that gave it, so that a reader can judge it. */
export interface ConfidenceInterval {
  readonly low: number;
  readonly high: number;
  /** Two-sided confidence level, 0.95 by default everywhere. */
  readonly level: number;
  readonly method: string;
}
