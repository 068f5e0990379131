import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suggest } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';

const PACKAGE_DIR = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const CODE_FILE = 'suite.ts';
const DATA_SUFFIX = /\.scenario\.ya?ml$/;

/** A suite on disk: a folder with `suite.ts` and any number of `*.scenario.yaml`, or one such file. */
export interface FoundSuite {
  readonly name: string;
  readonly folder: string;
  readonly codeFiles: readonly string[];
  readonly dataFiles: readonly string[];
}

/** The suite that a word of the command line names; undefined when there is none. */
export function findSuite(word: string, cwd = process.cwd()): FoundSuite | undefined {
  const candidates = [
    resolve(cwd, word),
    join(cwd, 'suites', word),
    join(PACKAGE_DIR, word),
    join(PACKAGE_DIR, 'suites', word),
  ];
  for (const path of candidates) {
    const found = existsSync(path) ? suiteAt(path) : undefined;
    if (found) return found;
  }
  return undefined;
}

function suiteAt(path: string): FoundSuite | undefined {
  if (statSync(path).isDirectory()) {
    const files = readdirSync(path).sort();
    const codeFiles = files.filter((file) => file === CODE_FILE).map((file) => join(path, file));
    const dataFiles = files.filter((file) => DATA_SUFFIX.test(file)).map((file) => join(path, file));
    if (codeFiles.length + dataFiles.length === 0) return undefined;
    return { name: basename(path), folder: path, codeFiles, dataFiles };
  }
  const folder = dirname(path);
  const isData = DATA_SUFFIX.test(path);
  if (!isData && !path.endsWith('.ts')) return undefined;
  return {
    name: basename(folder),
    folder,
    codeFiles: isData ? [] : [path],
    dataFiles: isData ? [path] : [],
  };
}

/** @throws SquallError `suite-not-found` (input) with what there is */
export function requireSuite(word: string, cwd = process.cwd()): FoundSuite {
  const found = findSuite(word, cwd);
  if (found) return found;
  const known = knownSuites(cwd);
  const meant = suggest(word, known);
  throw new SquallError(
    `suite ${word}: not found; expected a folder with suite.ts or *.scenario.yaml, or such a file${meant === undefined ? '.' : `; did you mean "${meant}"?`}`,
    {
      code: 'suite-not-found',
      blame: 'input',
      hint: known.length > 0 ? `There are: ${known.join(', ')}.` : '',
    },
  );
}

/** `suites/NAME` of every suite in sight. */
export function knownSuites(cwd = process.cwd()): string[] {
  const roots = [...new Set([join(cwd, 'suites'), join(PACKAGE_DIR, 'suites')])].filter(existsSync);
  return [
    ...new Set(
      roots.flatMap((root) =>
        readdirSync(root)
          .filter((name) => suiteAt(join(root, name)) !== undefined)
          .map((name) => `suites/${name}`),
      ),
    ),
  ];
}
