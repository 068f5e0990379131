/** What a sequential test says after each trial. */
export type SequentialAnswer = 'low' | 'high' | 'undecided';

/**
 * Wald's sequential probability ratio test of a rate (1945): is it at most `lowRate` or at least `highRate`?
 * After x events in n trials, with Λ = x·ln(p₁/p₀) + (n−x)·ln((1−p₁)/(1−p₀)): Λ ≥ ln((1−β)/α) says `high`,
 * Λ ≤ ln(β/(1−α)) says `low`. The chance of a wrong `high` is at most about α, of a wrong `low` about β, however long it runs.
 */
export function sequentialRateTest(
  events: number,
  trials: number,
  options: {
    readonly lowRate: number;
    readonly highRate: number;
    readonly alpha?: number;
    readonly beta?: number;
  },
): SequentialAnswer {
  const alpha = options.alpha ?? 0.05;
  const beta = options.beta ?? 0.05;
  // A rate of exactly 0 or 1 makes one contrary event decisive; the logarithm says so by infinity.
  const perEvent = Math.log(options.highRate / options.lowRate);
  const perOther = Math.log((1 - options.highRate) / (1 - options.lowRate));
  const quiet = trials - events;
  const ratio = (events === 0 ? 0 : events * perEvent) + (quiet === 0 ? 0 : quiet * perOther);
  if (ratio >= Math.log((1 - beta) / alpha)) return 'high';
  if (ratio <= Math.log(beta / (1 - alpha))) return 'low';
  return 'undecided';
}

/**
 * Level of each look's interval when an estimate may be looked at up to `looks` times: the error is shared evenly
 * (Bonferroni, the bluntest group-sequential plan, valid for any statistic and any dependence between looks).
 */
export function levelPerLook(level: number, looks: number): number {
  return 1 - (1 - level) / Math.max(1, looks);
}
