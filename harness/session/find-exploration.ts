import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SquallError } from '../errors/index.ts';
import { parseExploration } from '../exploration/index.ts';

const PACKAGE_DIR = fileURLToPath(new URL('../../', import.meta.url));
const SUFFIX = /\.explore\.ya?ml$/;

/**
 * The exploration file that a word names: a path, or the name of a topology that exactly one file under `suites/` explores.
 * @throws SquallError `exploration-not-found` (input) with what there is
 */
export function findExploration(word: string, cwd = process.cwd()): string {
  if (SUFFIX.test(word)) return existsSync(word) ? word : join(PACKAGE_DIR, word);
  const topology = word.replace(/^topologies\//, '').replace(/\.ya?ml$/, '');
  const files = [...new Set([join(cwd, 'suites'), join(PACKAGE_DIR, 'suites')])]
    .filter(existsSync)
    .flatMap((root) =>
      readdirSync(root, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .flatMap(({ name }) =>
          readdirSync(join(root, name))
            .filter((file) => SUFFIX.test(file))
            .map((file) => join(root, name, file)),
        ),
    );
  const found = files.filter(
    (file) => parseExploration(readFileSync(file, 'utf8'), file).topology === topology,
  );
  if (found.length === 1 && found[0]) return found[0];
  throw new SquallError(
    `exploration ${word}: ${found.length} files explore a topology of this name; expected one.`,
    {
      code: 'exploration-not-found',
      blame: 'input',
      hint: files.length > 0 ? `There are: ${files.join(', ')}.` : 'Write one: docs/exploration.md.',
    },
  );
}
