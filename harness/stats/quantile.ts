/** Sorted copy, smallest first. */
export function sorted(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}

export function mean(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** Sample variance (n − 1 below the line); NaN for fewer than two values. */
export function variance(values: readonly number[]): number {
  if (values.length < 2) return Number.NaN;
  const centre = mean(values);
  return values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1);
}

/**
 * Quantile by linear interpolation between order statistics (type 7 of Hyndman and Fan 1996, R's default).
 * NaN for no values.
 * @param share 0..1
 */
export function quantile(values: readonly number[], share: number): number {
  return quantileOfSorted(sorted(values), share);
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** `quantile` for values that are sorted already. */
export function quantileOfSorted(ordered: readonly number[], share: number): number {
  if (ordered.length === 0) return Number.NaN;
  const place = (ordered.length - 1) * Math.min(1, Math.max(0, share));
  const below = ordered[Math.floor(place)] as number;
  const above = ordered[Math.ceil(place)] as number;
  // Equal neighbours are returned as they are: infinity minus infinity would spoil the interpolation.
  return below === above ? below : below + (above - below) * (place - Math.floor(place));
}
