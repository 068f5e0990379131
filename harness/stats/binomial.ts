import { SquallError } from '../errors/index.ts';
import { betaQuantile } from './distributions.ts';
import type { ConfidenceInterval } from './interval.ts';

/**
 * Exact interval of a rate (Clopper and Pearson 1934), from quantiles of the beta distribution:
 * low = B(α/2; x, n − x + 1), high = B(1 − α/2; x + 1, n − x).
 * @throws SquallError `bad-sample` unless 0 ≤ successes ≤ trials, both whole, trials ≥ 1
 */
export function clopperPearson(successes: number, trials: number, level = 0.95): ConfidenceInterval {
  requireCounts(successes, trials);
  const tail = (1 - level) / 2;
  return {
    low: successes === 0 ? 0 : betaQuantile(tail, successes, trials - successes + 1),
    high: successes === trials ? 1 : betaQuantile(1 - tail, successes + 1, trials - successes),
    level,
    method: 'Clopper-Pearson',
  };
}

/**
 * The rate that is excluded by `events` in `trials`, one-sided: a true rate above it would have shown more with
 * probability `level`. For no event it is 1 − (1 − level)^(1/n): 63 % for 0 of 3, 5 % for 0 of 59.
 */
export function excludedRate(events: number, trials: number, level = 0.95): number {
  requireCounts(events, trials);
  return events === trials ? 1 : betaQuantile(level, events + 1, trials - events);
}

/** Chance that `trials` trials show something at least once that happens in a share `rate` of them. */
export function powerToShow(rate: number, trials: number): number {
  return 1 - (1 - rate) ** trials;
}

/** Trials needed to show with chance `power` something that happens at `rate`; infinite for a rate of 0. */
export function trialsToShow(rate: number, power = 0.95): number {
  if (rate <= 0) return Number.POSITIVE_INFINITY;
  if (rate >= 1) return 1;
  return Math.ceil(Math.log(1 - power) / Math.log(1 - rate) - 1e-9);
}

function requireCounts(events: number, trials: number): void {
  if (Number.isInteger(events) && Number.isInteger(trials) && events >= 0 && trials >= 1 && events <= trials)
    return;
  throw new SquallError(
    `rate: ${events} of ${trials} is no sample; expected whole numbers, 0 ≤ events ≤ trials, trials ≥ 1`,
    {
      code: 'bad-sample',
    },
  );
}
