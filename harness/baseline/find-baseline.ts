import { mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { SquallError } from '../errors/index.ts';
import { findRunDir, type HostClass, writeAtomically } from '../record/index.ts';
import { type Baseline, parseBaseline } from './baseline-file.ts';
import { sameMachineClass } from './machine-class.ts';
import { takeBaseline } from './take-baseline.ts';

/** Where baselines lie, relative to the project; they are committed. */
export const BASELINES_DIR = 'baselines';

/** In place of a name: whichever is the newest for this class of machine. */
export const NEWEST = 'newest';

/**
 * The baseline that a word means: a file, a name under `baselines/`, or a run (its figures as they are).
 * @throws SquallError `baseline-not-found` and what reading one throws (input)
 */
export async function findBaseline(word: string, cwd = process.cwd()): Promise<Baseline> {
  for (const file of [resolve(cwd, word), join(cwd, BASELINES_DIR, `${word}.json`)]) {
    const text = await readIfFile(file);
    if (text !== undefined) return parseBaseline(text, file);
  }
  const known = (await baselinesIn(join(cwd, BASELINES_DIR))).map(({ name }) => name);
  let dir: string;
  try {
    dir = await findRunDir(word, cwd);
  } catch (error) {
    throw new SquallError(
      `baseline ${word}: not found; expected a file, a name under ${BASELINES_DIR}/, or a run.`,
      {
        code: 'baseline-not-found',
        blame: 'input',
        hint:
          known.length > 0
            ? `There are: ${known.join(', ')}.`
            : 'Save one: squall baseline save RUN --name NAME.',
        cause: error,
      },
    );
  }
  return await takeBaseline(dir, { name: basename(dir) });
}

/**
 * The baseline under `baselines/` that was saved last on this class of machine and has what all the bounds name; undefined where
 * none is. @throws what reading one throws
 */
export async function findNewestBaseline(
  host: HostClass,
  bounds: readonly {
    readonly suite?: string | undefined;
    readonly scenario: string;
    readonly measure: string;
  }[],
  cwd = process.cwd(),
): Promise<Baseline | undefined> {
  const has = ({ points }: Baseline): boolean =>
    bounds.every(({ suite, scenario, measure }) =>
      points.some(
        (one) =>
          one.scenario === scenario &&
          (suite ?? one.suite) === one.suite &&
          one.warp === 1 &&
          measure in one.measures,
      ),
    );
  return (await baselinesIn(join(cwd, BASELINES_DIR)))
    .filter((one) => sameMachineClass(one.host, host) && has(one))
    .sort((a, b) => Date.parse(a.savedAt) - Date.parse(b.savedAt))
    .at(-1);
}

/** All baselines of a folder, by name. A file that is none is refused by name: a baseline is not lost in silence. */
export async function baselinesIn(dir: string): Promise<Baseline[]> {
  let names: string[];
  try {
    names = await readdir(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const files = names.filter((name) => name.endsWith('.json')).sort();
  return await Promise.all(
    files.map(async (name) => parseBaseline(await readFile(join(dir, name), 'utf8'), join(dir, name))),
  );
}

/** Writes a baseline as `NAME.json`, in lines that a reviewer can read. Returns the path. */
export async function writeBaseline(dir: string, baseline: Baseline): Promise<string> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(baseline.name) || baseline.name === NEWEST) {
    throw new SquallError(
      `baseline ${baseline.name}: no name for a file; expected letters, digits, dots and dashes, and not "${NEWEST}".`,
      {
        code: 'bad-name',
        blame: 'input',
      },
    );
  }
  await mkdir(dir, { recursive: true });
  const path = join(dir, `${baseline.name}.json`);
  await writeAtomically(path, `${JSON.stringify(baseline, undefined, 2)}\n`);
  return path;
}

async function readIfFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
