import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TrialRecord, writeAtomically } from '../record/index.ts';
import { type CostModel, REFERENCE_COSTS } from '../scenario/index.ts';

/** Kept beside the reports: what beds and trials of earlier runs on this machine took. */
const FILE = 'durations.json';
/** Weight of a new run against all before it. */
const WEIGHT = 0.5;

interface Measured {
  startMsPerNode?: number;
  resetMsPerNode?: number;
  settleMsPerNode?: number;
  trials?: number;
}

/** The cost model, with what was measured in place of what is assumed. */
export async function measuredCosts(
  reportsDir: string,
): Promise<{ readonly costs: CostModel; readonly basis: string }> {
  const measured = await readMeasured(reportsDir);
  if (!measured.trials) return { costs: REFERENCE_COSTS, basis: 'assumed; no earlier run here' };
  const { trials, ...figures } = measured;
  return {
    costs: { ...REFERENCE_COSTS, ...figures },
    basis: `beds as measured in ${trials} earlier trials here`,
  };
}

/** Learns from the trials of a run. */
export async function learnCosts(reportsDir: string, trials: readonly TrialRecord[]): Promise<void> {
  const ready = trials.filter((trial) => trial.outcome === 'completed' && trial.nodes.length > 0);
  if (ready.length === 0) return;
  const before = await readMeasured(reportsDir);
  const perNode = (reused: boolean): number | undefined =>
    mean(
      ready
        .filter((trial) => trial.bed.reused === reused)
        .map((trial) => trial.overheadMs / trial.nodes.length),
    );
  const started = blend(before.startMsPerNode, perNode(false));
  const reset = blend(before.resetMsPerNode, perNode(true));
  const warmUps = ready.flatMap((trial) => {
    const [first] = trial.phases;
    return first?.name === 'warm-up' ? [(first.endNs - trial.startNs) / 1e6 / trial.nodes.length] : [];
  });
  const settled = blend(before.settleMsPerNode, mean(warmUps));
  const after: Measured = {
    ...(started !== undefined && { startMsPerNode: started }),
    ...(reset !== undefined && { resetMsPerNode: reset }),
    ...(settled !== undefined && { settleMsPerNode: settled }),
    trials: (before.trials ?? 0) + ready.length,
  };
  await writeAtomically(join(reportsDir, FILE), `${JSON.stringify(after, undefined, 2)}\n`);
}

function blend(before: number | undefined, now: number | undefined): number | undefined {
  if (now === undefined) return before;
  return before === undefined ? now : before * (1 - WEIGHT) + now * WEIGHT;
}

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function readMeasured(reportsDir: string): Promise<Measured> {
  try {
    return JSON.parse(await readFile(join(reportsDir, FILE), 'utf8')) as Measured;
  } catch (error) {
    // Missing at first; damaged is as good as missing, since it is only an estimate.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
