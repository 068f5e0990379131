import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { SquallError } from '../../errors/index.ts';

/** Root of a node's files as this host sees it, whatever the image has or lacks. */
export function rootOf(pid: number): string {
  return `/proc/${pid}/root`;
}

/** Why this process cannot reach the files of containers, or undefined when it can. */
export function whyNoNodeFiles(): string | undefined {
  if (process.platform !== 'linux')
    return 'files of nodes are reached through /proc, which this host has not';
  return process.getuid?.() === 0 ? undefined : 'files of nodes are reached through /proc, which needs root';
}

/**
 * A path inside a node as a path of this host. A symbolic link on the way is refused: seen from outside it may lead
 * into this host's own files. @throws SquallError `path-refused` (input)
 */
export async function nodePath(node: string, pid: number, path: string): Promise<string> {
  const parts = pathParts(path);
  if (!parts) throw refused(node, path, 'expected an absolute path without ..');
  let found = rootOf(pid);
  for (const part of parts) {
    found = join(found, part);
    const entry = await lstat(found).catch((error: NodeJS.ErrnoException) => {
      throw refused(node, path, error.code === 'ENOENT' ? 'it does not exist' : error.message);
    });
    if (entry.isSymbolicLink()) throw refused(node, path, `${part} is a symbolic link`);
  }
  return found;
}

/** Names on the way to a path; undefined for one that is not absolute or goes up again. */
export function pathParts(path: string): readonly string[] | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  return path.startsWith('/') && !parts.includes('..') ? parts : undefined;
}

function refused(node: string, path: string, why: string): SquallError {
  return new SquallError(`node ${node}, path ${path}: ${why}`, { code: 'path-refused', blame: 'input' });
}
