import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describeError } from '../errors/index.ts';
import { listRuns, type RunRecord, readRun } from '../record/index.ts';

/** A run as a list of runs shows it. */
export interface IndexedRun {
  readonly runId: string;
  readonly startedAt: string;
  readonly suites: readonly string[];
  readonly command: string;
  readonly seed: string;
  /** Absent: not judged yet. */
  readonly verdict?: RunRecord['verdict'];
  readonly counts?: RunRecord['counts'];
  readonly trials: number;
  readonly planned: number;
  readonly tookMs?: number;
  readonly partial: boolean;
  /** Its page is there. */
  readonly hasPage: boolean;
}

export interface RunIndex {
  readonly runs: readonly IndexedRun[];
  /** Folders that could not be read, with why. */
  readonly problems: readonly string[];
}

/** All runs of a folder of reports, newest first, read one at a time. */
export async function loadRunIndex(reportsDir: string): Promise<RunIndex> {
  const runs: IndexedRun[] = [];
  const problems: string[] = [];
  // `latest` is a link to one of them.
  for (const id of (await listRuns(reportsDir)).filter((name) => name !== 'latest')) {
    const dir = join(reportsDir, id);
    try {
      const { plan, run, trials } = await readRun(dir);
      runs.push({
        runId: id,
        startedAt: plan.startedAt,
        suites: [...new Set(plan.scenarios.map(({ suite, scenario }) => `${suite}/${scenario}`))],
        command: ['squall', ...plan.command].join(' '),
        seed: plan.seed,
        ...(run && {
          verdict: run.verdict,
          counts: run.counts,
          tookMs: Date.parse(run.endedAt) - Date.parse(run.startedAt),
        }),
        trials: trials.filter(({ finished }) => finished).length,
        planned: plan.scenarios.flatMap(({ points }) => points).reduce((sum, point) => sum + point.trials, 0),
        partial: run?.partial ?? true,
        hasPage: existsSync(join(dir, 'index.html')),
      });
    } catch (error) {
      problems.push(`${id}: ${describeError(error)}`);
    }
  }
  return { runs, problems };
}
