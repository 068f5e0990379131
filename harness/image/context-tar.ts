import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pack } from 'tar-stream';

/** A fixed time, so that the same files give the same layers. */
export const EPOCH = new Date(0);

/** A build context: files of a folder, and texts that lie in none. */
export function contextTar(
  folder: string,
  files: readonly string[],
  texts: Readonly<Record<string, string | Buffer>>,
): Readable {
  const tar = pack();
  for (const [name, text] of Object.entries(texts)) tar.entry({ name, mtime: EPOCH }, Buffer.from(text));
  for (const file of files) {
    const path = join(folder, file);
    tar.entry({ name: file, mode: statSync(path).mode & 0o777, mtime: EPOCH }, readFileSync(path));
  }
  tar.finalize();
  return Readable.from(tar);
}
