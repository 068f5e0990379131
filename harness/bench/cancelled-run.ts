import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readEvents, readRun, readTrial, type TrialRef } from '../record/index.ts';

/** Where the first fault of a run began, by its record. */
export interface CutFound {
  readonly runId: string;
  readonly runDir: string;
  /** Ns of CLOCK_MONOTONIC; may be an instant that is still to come. */
  readonly appliedNs: number;
}

/** The first fault that the only run in these reports has begun or planned; undefined as long as there is none. */
export async function findCut(reportsDir: string): Promise<CutFound | undefined> {
  for (const runDir of await runDirs(reportsDir)) {
    for (const { dir } of await trialsOf(runDir)) {
      for await (const { event, atNs } of readEvents(dir))
        if (event === 'fault.applied') return { runId: basename(runDir), runDir, appliedNs: atNs };
    }
  }
  return undefined;
}

/** Whether each fault of a run was seen to act and to be gone; false where there was none. */
export async function readCancelled(runDir: string): Promise<boolean> {
  const trials = await Promise.all(
    (await trialsOf(runDir)).filter(({ finished }) => finished).map(({ dir }) => readTrial(dir)),
  );
  const faults = trials.flatMap((trial) => trial.faults);
  return faults.length > 0 && faults.every(({ bit, gone }) => bit && gone);
}

async function runDirs(reportsDir: string): Promise<string[]> {
  const entries = await readdir(reportsDir, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(reportsDir, name));
}

/** None as long as the run has no plan. */
async function trialsOf(runDir: string): Promise<readonly TrialRef[]> {
  if (!(await readdir(runDir)).includes('plan.json')) return [];
  return (await readRun(runDir)).trials;
}
