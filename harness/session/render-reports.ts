import type { RunRecord } from '../record/index.ts';

/** Writes junit.xml and index.html beside run.json. */
export async function renderReports(_dir: string, _run: RunRecord): Promise<void> {
  // Joined when the report room is there.
}
