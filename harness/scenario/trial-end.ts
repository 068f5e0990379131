import { describeError } from '../errors/index.ts';
import type { FaultRecord } from '../record/index.ts';
import type { TrialBed } from './ports.ts';
import type { TrialOptions } from './trial-options.ts';

/** Every node and its container is asked. */
const VERIFY_MS_PER_NODE = 8;

/** Lifts what is left, and reads what every fault of the trial did; what fails is added to `failures`. */
export async function endFaults(
  bed: TrialBed,
  failures: string[],
): Promise<{ readonly records: readonly FaultRecord[]; readonly voids: readonly string[] }> {
  try {
    await bed.faults.liftAll();
  } catch (error) {
    failures.push(describeError(error));
  }
  try {
    return await bed.faults.takeRecords();
  } catch (error) {
    failures.push(`the faults' records could not be read: ${describeError(error)}`);
    return { records: [], voids: [] };
  }
}

/** Clean: fit for another trial. Accounted: what is not back, a fault of ours ended on purpose. */
export async function verifyBed(
  { bed, quiet, signal }: TrialOptions,
  failures: string[],
): Promise<{ readonly clean: boolean; readonly accounted: boolean }> {
  try {
    const { clean, problems } = await quiet.heavy(
      bed.id,
      bed.nodes().length * VERIFY_MS_PER_NODE,
      signal,
      () => bed.verifyClean(signal),
    );
    const ended = bed.nodeRecords().flatMap((node) => (node.exit?.expected ? [`node ${node.name} `] : []));
    const open = problems.filter((problem) => !ended.some((start) => problem.startsWith(start)));
    for (const problem of problems) bed.events.emit('bed.dirty', { problem });
    return { clean, accounted: open.length === 0 };
  } catch (error) {
    failures.push(`the bed could not be verified: ${describeError(error)}`);
    return { clean: false, accounted: false };
  }
}
