import type { FaultRecord } from '../record/index.ts';
import { formatDurationMs } from '../units/index.ts';

/** Counts that are not zero, in the order of the witness: `heldIn 12, heldOut 7`. */
export function countsText(counts: Readonly<Record<string, number>>): string {
  const seen = Object.entries(counts).filter(([, value]) => value !== 0);
  return (
    seen.map(([name, value]) => `${name} ${Number(value.toFixed(2))}`).join(', ') || 'nothing counted yet'
  );
}

/** What a fault that is over did, and what is wrong with it if anything is. */
export function recordText(record: FaultRecord): string {
  const { id, kind, targets, appliedNs, liftedNs, witness, bit, gone, problems } = record;
  const lasted =
    appliedNs === undefined || liftedNs === undefined
      ? 'was never in force'
      : `lasted ${formatDurationMs((liftedNs - appliedNs) / 1e6)}`;
  return [
    `${id}: ${kind} on ${targets.join(', ')} ${lasted}; ${gone ? 'it is gone' : 'IT IS NOT SEEN TO BE GONE'}.`,
    `  ${bit ? 'It acted' : 'It was NOT SEEN TO ACT'}: ${countsText(witness?.counts ?? {})}`,
    ...problems.map((problem) => `  ${problem}`),
  ].join('\n');
}
