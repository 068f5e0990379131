import { join } from 'node:path';
import { describeError } from '../errors/index.ts';
import { blankValues, type TrialRecord, writeAtomically } from '../record/index.ts';
import type { TrialBed } from './ports.ts';

/** Nodes that are asked; the state of every node of a large bed would bury what matters. */
const MAX_NODES = 8;
export const DIAGNOSIS_FILE = 'diagnosis.json';

/**
 * What nodes say of themselves after a trial that failed or broke, while they are still there: those that ended, then
 * those that a fault touched, then others. Written beside the trial's record.
 * @param secrets values that they were given, and that are blanked
 */
export async function diagnoseTrial(
  bed: TrialBed,
  trial: TrialRecord,
  trialDir: string,
  secrets: readonly string[],
): Promise<void> {
  const ended = trial.nodes.filter((node) => node.exit !== undefined).map((node) => node.name);
  const touched = trial.faults.flatMap((fault) => fault.targets);
  const names = [...new Set([...ended, ...touched, ...trial.nodes.map((node) => node.name)])].slice(
    0,
    MAX_NODES,
  );
  const nodes = await Promise.all(
    names.map(async (name) => {
      try {
        return await bed.diagnose(name);
      } catch (error) {
        return { node: name, problems: [describeError(error)] };
      }
    }),
  );
  const text = blankValues(JSON.stringify({ nodes }, undefined, 2), secrets);
  await writeAtomically(join(trialDir, DIAGNOSIS_FILE), `${text}\n`);
}
