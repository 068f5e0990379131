import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Beside a folder for each kind of machine, as Debian has it, or without one. */
const FOLDERS = ['/usr/lib', '/usr/lib64'];
/** The build for programs of several threads, as Node is one. */
const LIBRARY = 'faketime/libfaketimeMT.so.1';

/** The libfaketime of this host, or undefined where there is none. */
export function findFaketime(folders: readonly string[] = FOLDERS): string | undefined {
  const places = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => [folder, ...readdirSync(folder).map((name) => join(folder, name))]);
  return places.map((place) => join(place, LIBRARY)).find((path) => existsSync(path));
}

/**
 * Whether a process has it loaded; undefined when the process has ended. What the loader cannot load it passes over with a line,
 * and the program runs on without it.
 */
export function hasFaketime(pid: number): boolean | undefined {
  const maps = `/proc/${pid}/maps`;
  const text = existsSync(maps) ? readFileSync(maps, 'utf8') : '';
  return text === '' ? undefined : text.includes('libfaketime');
}
