import { combineErrors } from '../errors/index.ts';
import type { WitnessRecord } from '../record/index.ts';
import { monotonicNs } from './time-budget.ts';

/** Calls to the engine that one fault has under way at once. */
export const NODES_AT_ONCE = 16;

/**
 * Runs work for every node, at most `NODES_AT_ONCE` at a time. All are tried; one error carries every failure.
 * Returns the results in the order of the names, with the instants of the first and the last completion.
 */
export async function onEachNode<T>(
  names: readonly string[],
  work: (name: string) => Promise<T>,
): Promise<{ readonly results: readonly T[]; readonly firstNs: number; readonly lastNs: number }> {
  const results = new Array<T>(names.length);
  const errors: unknown[] = [];
  let firstNs: number | undefined;
  let lastNs = 0;
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < names.length; index = next++) {
      try {
        results[index] = await work(names[index] as string);
        lastNs = monotonicNs();
        firstNs ??= lastNs;
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(NODES_AT_ONCE, names.length) }, worker));
  if (errors.length > 0) throw combineErrors('nodes: not all could be dealt with', errors);
  return { results, firstNs: firstNs ?? monotonicNs(), lastNs };
}

/** A witness of what was read at each node; totals are sums. */
export function witnessOf(
  source: string,
  perNode: Readonly<Record<string, Readonly<Record<string, number>>>>,
): WitnessRecord {
  const counts: Record<string, number> = {};
  for (const own of Object.values(perNode)) {
    for (const [key, value] of Object.entries(own)) counts[key] = (counts[key] ?? 0) + value;
  }
  return { source, counts, perNode };
}
