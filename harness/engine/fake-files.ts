import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { extract, pack } from 'tar-stream';

/** Files of a container by their absolute paths. */
export type FakeFiles = Map<string, string>;

/** A folder as the engine gives it: every name begins with its last part. Undefined when nothing lies there. */
export function packFiles(files: FakeFiles, path: string): NodeJS.ReadableStream | undefined {
  const folder = path.replace(/\/+$/, '');
  const below = [...files].filter(([name]) => name === folder || name.startsWith(`${folder}/`));
  if (below.length === 0) return undefined;
  const tar = pack();
  for (const [name, content] of below)
    tar.entry({ name: `${basename(folder)}${name.slice(folder.length)}` }, content);
  tar.finalize();
  return Readable.from(tar);
}

export async function unpackFiles(
  files: FakeFiles,
  folder: string,
  tar: NodeJS.ReadableStream,
): Promise<void> {
  const entries = extract();
  tar.pipe(entries);
  for await (const entry of entries) {
    const parts: Buffer[] = [];
    for await (const part of entry) parts.push(Buffer.from(part as Uint8Array));
    files.set(join(folder, entry.header.name), Buffer.concat(parts).toString());
  }
}
