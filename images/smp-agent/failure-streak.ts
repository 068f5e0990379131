/** A run of failures of one proxy for one destination, kept beside the choice. */
export interface FailureStreak {
  readonly sinceMs: number;
  readonly lastMs: number;
}

export interface StreakStep {
  readonly does: 'start' | 'keep' | 'forget';
  /** From the first failure to this one. */
  readonly ageMs: number;
  readonly streak: FailureStreak;
}

/**
 * One more failure. The first starts a streak; one that comes `intervalMs` or more after the start forgets the proxy,
 * sooner ones change nothing, however many.
 * @param expiryMs quiet time after which the streak counts as over; 0: never
 */
export function nextFailure(
  streak: FailureStreak | undefined,
  nowMs: number,
  { intervalMs, expiryMs }: { readonly intervalMs: number; readonly expiryMs: number },
): StreakStep {
  const expired = streak !== undefined && expiryMs > 0 && nowMs - streak.lastMs > expiryMs;
  if (streak === undefined || expired) {
    return { does: 'start', ageMs: 0, streak: { sinceMs: nowMs, lastMs: nowMs } };
  }
  const ageMs = nowMs - streak.sinceMs;
  return {
    does: ageMs >= intervalMs ? 'forget' : 'keep',
    ageMs,
    streak: { sinceMs: streak.sinceMs, lastMs: nowMs },
  };
}
