import { readFileSync, writeFileSync } from 'node:fs';

/** The files of the kernel that a host is read from and changed through; a fake stands in for it in tests. */
export interface HostFiles {
  /** The whole text; undefined when there is no such file (another kernel, another namespace). */
  read(path: string): string | undefined;
  /** @throws the system's error when it is not allowed */
  write(path: string, text: string): void;
}

const ABSENT = new Set(['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR', 'EINVAL']);

export const realHostFiles: HostFiles = {
  read(path) {
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      if (ABSENT.has((error as NodeJS.ErrnoException).code ?? '')) return undefined;
      throw error;
    }
  },
  write(path, text) {
    writeFileSync(path, text);
  },
};

/** The one whole number in a file; undefined when the file is absent or holds none. */
export function readNumber(files: HostFiles, path: string): number | undefined {
  const text = files.read(path)?.trim();
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}
