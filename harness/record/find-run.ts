import { access, readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { SquallError } from '../errors/index.ts';

const REPORTS = 'reports';

/**
 * The folder of a run that a person names: by path (`reports/latest`), or by id below `reports`.
 * @throws SquallError `run-not-found` (input) with the runs there are
 */
export async function findRunDir(word: string, cwd = process.cwd()): Promise<string> {
  const candidates = [resolve(cwd, word), join(cwd, REPORTS, word)];
  for (const dir of candidates) {
    if (await exists(join(dir, 'plan.json'))) return dir;
  }
  const known = await listRuns(join(cwd, REPORTS));
  throw new SquallError(
    `run ${word}: not found; expected the id of a run, or its folder with a plan.json, such as ${REPORTS}/${basename(word) === 'latest' ? '<runId>' : 'latest'}.`,
    {
      code: 'run-not-found',
      blame: 'input',
      facts: { looked: candidates },
      hint:
        known.length > 0
          ? `There are: ${known.slice(0, 8).join(', ')}.`
          : 'No run has been made here yet: `squall run SUITE`.',
    },
  );
}

/** Ids of the runs in a folder of reports, newest first: ids begin with the time of the run. */
export async function listRuns(reportsDir: string): Promise<string[]> {
  let names: string[];
  try {
    names = await readdir(reportsDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const runs: string[] = [];
  for (const name of names.sort().reverse()) {
    if (await exists(join(reportsDir, name, 'plan.json'))) runs.push(name);
  }
  return runs;
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
