import { randomBytes } from 'node:crypto';
import { open, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SquallError } from '../errors/index.ts';

/** Replaces a file as a whole: a reader sees the old text or the new one, also after a crash. */
export async function writeAtomically(path: string, text: string): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx');
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Makes the names in a folder durable. */
export async function syncFolder(dir: string): Promise<void> {
  const folder = await open(dir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * Points `<reports>/latest` at a run, in one step that no reader can catch half done.
 * @throws SquallError `latest-not-a-link` when something else has that name
 */
export async function swapLatest(runDir: string): Promise<void> {
  const latest = join(dirname(runDir), 'latest');
  const temporary = join(dirname(runDir), `.latest.${randomBytes(6).toString('hex')}.tmp`);
  await symlink(basename(runDir), temporary);
  try {
    await rename(temporary, latest);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new SquallError(
      `${latest}: could not be pointed at ${basename(runDir)}; expected a link or nothing there`,
      {
        code: 'latest-not-a-link',
        cause: error,
        hint: 'Move what has that name out of the way.',
      },
    );
  }
}
