import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type CheckLine,
  type CheckOutcomes,
  formatHistory,
  type HistoryRun,
  outcomesOf,
  parseHistory,
} from '../gate/index.ts';
import { type RunRecord, writeAtomically } from '../record/index.ts';
import type { GateRequest } from './execute-gate.ts';

/** Below the reports when the gate names no file. */
const HISTORY_FILE = 'gate-history.json';

/**
 * Adds runs to the gate's history and gives the outcomes of all runs of the same commit, these included. Where files
 * differ from the commit, or there is none, only these are known to be of one thing.
 */
export async function rememberRuns(
  { config, reportsDir, commit }: Pick<GateRequest, 'config' | 'reportsDir' | 'commit'>,
  runs: readonly { readonly run: RunRecord; readonly lines: readonly CheckLine[] }[],
): Promise<readonly CheckOutcomes[]> {
  const file = config.history ?? join(reportsDir, HISTORY_FILE);
  const hash = commit && !commit.dirty ? commit.hash : undefined;
  const before = parseHistory(await readIfThere(file));
  const now = runs.map(
    ({ run, lines }): HistoryRun => ({
      runId: run.runId,
      at: run.startedAt,
      ...(hash !== undefined && { commit: hash }),
      outcomes: outcomesOf(run, lines),
    }),
  );
  // A run that was resumed stands there already, in an earlier state.
  const others = before.filter((one) => !now.some((run) => run.runId === one.runId));
  await mkdir(dirname(file), { recursive: true });
  await writeAtomically(file, formatHistory([...others, ...now]));
  const same = others.filter((one) => hash !== undefined && one.commit === hash);
  return [...same, ...now].map((run) => run.outcomes);
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
