import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';
import type { Engine } from '../engine/index.ts';
import { EPOCH } from './context-tar.ts';

/** An image from nothing with one static binary in it, which is what it runs. */
export async function importBinary(
  engine: Engine,
  binary: string,
  options: { readonly name: string; readonly tag: string; readonly labels: Readonly<Record<string, string>> },
): Promise<string> {
  const tar = pack();
  const entry = tar.entry({ name: options.name, mode: 0o755, mtime: EPOCH, size: statSync(binary).size });
  const filled = pipeline(createReadStream(binary), entry).then(() => tar.finalize());
  const changes = [`ENTRYPOINT ["/${options.name}"]`];
  const [imageId] = await Promise.all([
    engine.importImage(Readable.from(tar), { tag: options.tag, labels: options.labels, changes }),
    filled,
  ]);
  return imageId;
}
