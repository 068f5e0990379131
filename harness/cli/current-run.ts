import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SquallError } from '../errors/index.ts';
import { listRuns } from '../record/index.ts';

/** Ids begin with the time: what runs now is among the newest, resumed ones aside. */
const LOOKED_AT = 50;

/** The run to look at when none is named: the one whose timeline was written last. @throws SquallError `run-not-found` (input) */
export async function currentRun(reportsDir: string): Promise<string> {
  let found: { readonly dir: string; readonly atMs: number } | undefined;
  for (const id of (await listRuns(reportsDir)).filter((id) => id !== 'latest').slice(0, LOOKED_AT)) {
    const dir = join(reportsDir, id);
    // A run that has told nothing yet has no timeline, but a plan.
    const { mtimeMs } = await stat(join(dir, 'events.jsonl')).catch(() => stat(join(dir, 'plan.json')));
    if (!found || mtimeMs > found.atMs) found = { dir, atMs: mtimeMs };
  }
  if (found) return found.dir;
  throw new SquallError(`${reportsDir}: holds no run; expected one to watch.`, {
    code: 'run-not-found',
    blame: 'input',
    hint: 'Start one with `squall run SUITE`, or name a testnet that is up with --bed.',
  });
}
