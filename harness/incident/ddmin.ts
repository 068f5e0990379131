/**
 * Takes away what is not needed: chunks of half the list, then of a quarter, down to single items, until no single item
 * can go any more. The result still shows it and is minimal in that sense (Zeller and Hildebrandt 2002, complements only:
 * a test costs a trial here, and subsets seldom show what the whole does).
 * @param shows whether a list without some of its items still shows it; the empty list is asked about too
 */
export async function ddmin<T>(
  items: readonly T[],
  shows: (kept: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let kept = items;
  let size = Math.ceil(kept.length / 2);
  while (kept.length > 0 && size >= 1) {
    let removed = false;
    for (let at = 0; at < kept.length; ) {
      const without = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (await shows(without)) {
        kept = without;
        removed = true;
      } else at += size;
    }
    if (size === 1 && !removed) break;
    size = size === 1 ? 1 : Math.ceil(Math.min(size, kept.length) / 2);
  }
  return kept;
}

/**
 * The lowest value that still shows it, by halving; where more shows it and less does not. `from` is known to show it.
 * @param step values are multiples of it above `lowest`
 * @param tries at most so many values are asked about
 */
export async function lowestShowing(
  range: { readonly lowest: number; readonly from: number; readonly step: number; readonly tries: number },
  shows: (value: number) => Promise<boolean>,
): Promise<number> {
  const { lowest, from, step, tries } = range;
  let shown = from;
  let hidden = lowest - step;
  for (let left = tries; left > 0 && shown - hidden > step; left -= 1) {
    // The lowest is asked about first: what does not matter at all is found out at once.
    const middle =
      hidden < lowest ? lowest : lowest + Math.round((hidden + (shown - hidden) / 2 - lowest) / step) * step;
    if (middle >= shown || middle <= hidden) break;
    if (await shows(middle)) shown = middle;
    else hidden = middle;
  }
  return shown;
}
