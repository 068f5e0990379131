import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { SquallError } from '../errors/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const SYSTEM_FOLDERS = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
  '/usr/local/go/bin',
];

/** PATH with the folders that a user's may lack. */
export function systemPath(environment: Environment = process.env): string {
  const own = (environment['PATH'] ?? '').split(delimiter).filter(Boolean);
  return [...new Set([...own, ...SYSTEM_FOLDERS])].join(delimiter);
}

/** Absolute path of a program; undefined when it is not installed. */
export function findProgram(name: string, environment: Environment = process.env): string | undefined {
  for (const folder of systemPath(environment).split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'ENOENT' && code !== 'EACCES' && code !== 'ENOTDIR') throw error;
    }
  }
  return undefined;
}

/** @throws SquallError `program-missing` with what to install */
export function requireProgram(name: string, hint: string, environment: Environment = process.env): string {
  const path = findProgram(name, environment);
  if (path) return path;
  throw new SquallError(`program ${name}: not found in PATH`, { code: 'program-missing', hint });
}
