import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder that holds package.json: the checkout, or the installed package. */
export const PACKAGE_DIR = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

export function squallVersion(): string {
  const { version } = JSON.parse(readFileSync(join(PACKAGE_DIR, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  return version;
}
