import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SquallError } from '../errors/index.ts';
import { type GateConfig, parseGate } from '../gate/index.ts';

export const GATE_FILE = 'gate.yaml';
/** Of Squall itself, beside the suites that it names. */
const OWN_GATE_FILE = 'suites/gate.yaml';
const PACKAGE_DIR = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The gate that is meant: the file named, else `gate.yaml` here, else the one that Squall brings along.
 * @throws SquallError `gate-not-found`, `invalid-document` (input)
 */
export async function readGateFile(named: string | undefined, cwd = process.cwd()): Promise<GateConfig> {
  const candidates =
    named === undefined ? [join(cwd, GATE_FILE), join(PACKAGE_DIR, OWN_GATE_FILE)] : [resolve(cwd, named)];
  const file = candidates.find((path) => existsSync(path));
  if (file === undefined) {
    throw new SquallError(
      `gate ${named ?? GATE_FILE}: not found; expected a file that says what guards a release.`,
      {
        code: 'gate-not-found',
        blame: 'input',
        facts: { candidates },
        hint: 'Its shape: `squall schema gate`; docs/gate.md has an example.',
      },
    );
  }
  return parseGate(await readFile(file, 'utf8'), named ?? file);
}
