/** One observation of whether a system was good at an instant. */
export interface GoodOrBad {
  readonly atNs: number;
  readonly good: boolean;
}

/**
 * Time from `sinceNs` until the system was good and then stayed good for `stableForMs`, in real ms.
 * An observation holds until the next one. `null` (censored) when that never happened before `untilNs`,
 * or when good was reached too late to be seen stable.
 */
export function stableSinceMs(
  observations: readonly GoodOrBad[],
  window: { readonly sinceNs: number; readonly untilNs: number; readonly stableForMs: number },
): number | null {
  const ordered = [...observations].sort((a, b) => a.atNs - b.atNs);
  let goodSinceNs: number | undefined;
  for (const { atNs, good } of ordered) {
    if (atNs > window.untilNs) break;
    if (goodSinceNs !== undefined && atNs - goodSinceNs >= window.stableForMs * 1e6) break;
    if (!good) goodSinceNs = undefined;
    // What was good before the window opens counts from its opening.
    else goodSinceNs ??= Math.max(atNs, window.sinceNs);
  }
  if (goodSinceNs === undefined || window.untilNs - goodSinceNs < window.stableForMs * 1e6) return null;
  return (goodSinceNs - window.sinceNs) / 1e6;
}
