/** What a change of swarms meets and what it leaves with members; pure. */
import type { RecordedEvent } from '../../harness/index.ts';
import { readHistory } from '../../harness/workload/index.ts';

/**
 * What members of one swarm hold, beside each other and beside what was acknowledged: messages that one lacks although they were
 * acknowledged or another has them, and those that one holds again or that nobody acknowledged.
 * @param held hashes of each member
 * @param unsettled stores that failed at their client: each may have been kept all the same
 */
export function comparedCopies(
  held: readonly (readonly string[])[],
  acknowledged: number,
  unsettled = 0,
): { readonly missing: number; readonly surplus: number } {
  const all = new Set(held.flat()).size;
  const due = Math.max(all, acknowledged);
  const copies = sumOf(held.map(({ length }) => length));
  const different = sumOf(held.map((hashes) => new Set(hashes).size));
  return {
    missing: due * held.length - different,
    surplus: copies - different + Math.max(0, due - acknowledged - unsettled),
  };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/** Stores that were under way while nodes went by different lists: from the first that took a new one to the last, or for a part of it. */
export function storedMeanwhile(events: readonly RecordedEvent[]): number {
  const spreads = new Map<unknown, { readonly firstNs: number; readonly lastNs: number }>();
  for (const { event, fields, atNs } of events) {
    if (event !== 'view.changed') continue;
    const { firstNs, lastNs } = spreads.get(fields['height']) ?? { firstNs: atNs, lastNs: atNs };
    spreads.set(fields['height'], { firstNs: Math.min(firstNs, atNs), lastNs: Math.max(lastNs, atNs) });
  }
  if (spreads.size === 0) return 0;
  const stores = readHistory(events).operations.filter(({ kind }) => kind === 'store');
  return stores.filter(({ invokedNs, endedNs = Number.POSITIVE_INFINITY }) =>
    [...spreads.values()].some(({ firstNs, lastNs }) => invokedNs <= lastNs && endedNs >= firstNs),
  ).length;
}
