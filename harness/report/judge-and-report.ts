import { type JudgeOptions, judgeRun } from '../check/index.ts';
import { compareScenario } from '../compare/index.ts';
import type { RunRecord } from '../record/index.ts';
import { renderSummary } from './summary.ts';
import { writeReports } from './write-reports.ts';

export interface JudgedRun {
  readonly run: RunRecord;
  readonly paths: readonly string[];
  /** Renderers that threw. */
  readonly problems: readonly string[];
  /** The run as text for a console. */
  readonly summary: string;
}

/**
 * Judges a run from its record, comparisons included, and writes run.json and all renderings: the judging side from
 * end to end, for finished, aborted and killed runs alike.
 * @throws SquallError what `judgeRun` and `loadReport` throw
 */
export async function judgeAndReport(runDir: string, options: JudgeOptions): Promise<JudgedRun> {
  const run = await judgeRun(runDir, { compare: compareScenario, ...options });
  const { paths, problems, input } = await writeReports(runDir);
  return { run, paths, problems, summary: renderSummary(input) };
}
