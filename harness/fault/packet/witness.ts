import type { WitnessRecord } from '../../record/index.ts';
import type { WitnessAnswer } from '../agent/protocol.ts';

/** Quantiles and maxima: of several, the largest stands for all. Everything else is a number of packets. */
const LARGEST = /(P50|P99|Max)(Us|Ms)$/;

/** Packets lost or late for no fault of the system under test: any of them voids the trial. */
const VOIDING: Readonly<Record<string, string>> = {
  overflowed: 'packets overflowed a queue of the packet agent',
  enobufs: 'packets were lost between kernel and packet agent (ENOBUFS)',
  kernelDropped: 'the kernel dropped packets before the packet agent saw them',
  sendErrors: 'held packets could not be sent again',
  verdictErrors: 'the kernel refused verdicts of the packet agent',
};

/** The agent's counts of one fault (and of its re-applications after restarts) as one witness. */
export function readWitness(answer: WitnessAnswer): WitnessRecord {
  const perNode: Record<string, Record<string, number>> = {};
  for (const fault of answer.faults) {
    for (const [node, counts] of Object.entries(fault.perNode)) {
      perNode[node] = merged(perNode[node] ?? {}, counts);
    }
  }
  const totals = Object.values(perNode).reduce<Record<string, number>>(merged, {});
  return { source: 'agent', counts: totals, perNode };
}

function merged(
  left: Readonly<Record<string, number>>,
  right: Readonly<Record<string, number>>,
): Record<string, number> {
  const result: Record<string, number> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const before = result[key] ?? 0;
    result[key] = LARGEST.test(key) ? Math.max(before, value) : before + value;
  }
  return result;
}

export function voidReasons(witness: WitnessRecord | undefined): readonly string[] {
  return Object.entries(VOIDING).flatMap(([key, sentence]) => {
    const packets = witness?.counts[key] ?? 0;
    return packets > 0 ? [`${sentence}: ${packets}`] : [];
  });
}
