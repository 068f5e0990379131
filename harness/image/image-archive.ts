import { createReadStream, createWriteStream, rmSync, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Engine } from '../engine/index.ts';
import { SquallError } from '../errors/index.ts';
import {
  type EnsureOptions,
  ensureImage,
  IMAGE_LABEL,
  type ImageRequest,
  loadedTag,
} from './ensure-image.ts';

/** What an archive holds, or brought. */
export interface ArchivedImage {
  readonly name: string;
  readonly reference: string;
  /** Absent for images of others. */
  readonly arch?: string;
}

/**
 * Writes images as one archive for an engine without a registry, compressed when the file's name ends in `.gz`: ours (built when
 * they are not there yet), and others' that the engine has or can pull.
 * @throws SquallError `image-archive` when an image was built before archives, whose sources cannot be told
 */
export async function saveImages(
  engine: Engine,
  requests: readonly ImageRequest[],
  file: string,
  options: EnsureOptions = {},
): Promise<{ readonly images: readonly ArchivedImage[]; readonly sizeBytes: number }> {
  const images: ArchivedImage[] = [];
  for (const request of requests) {
    const { reference } = await ensureImage(engine, request, options);
    const labels = (await engine.imageLabels(reference)) ?? {};
    if (request.kind === 'ours' && !labels[IMAGE_LABEL.source]) throw tooOld(request.name);
    const arch = labels[IMAGE_LABEL.arch];
    const name = request.kind === 'ours' ? request.name : reference;
    images.push({ name, reference, ...(arch !== undefined && { arch }) });
  }
  const tar = await engine.saveImages(
    images.map(({ reference }) => reference),
    options.signal,
  );
  const out = createWriteStream(file, { flags: 'wx' });
  try {
    if (file.endsWith('.gz')) await pipeline(tar, createGzip(), out, { signal: options.signal });
    else await pipeline(tar, out, { signal: options.signal });
  } catch (error) {
    // Half an archive looks like a whole one. A file that was there before us is left.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') rmSync(file, { force: true });
    throw error;
  }
  return { images, sizeBytes: statSync(file).size };
}

/**
 * Brings an archive's images into the engine. Ours are used from then on wherever a checkout has the sources that they were made
 * from, whatever tools this machine has or lacks.
 */
export async function loadImages(
  engine: Engine,
  file: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<readonly ArchivedImage[]> {
  const bytes = createReadStream(file);
  const tar = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  bytes.once('error', (error) => tar.destroy(error));
  const images: ArchivedImage[] = [];
  for (const reference of await engine.loadImages(tar, options.signal)) {
    const labels = (await engine.imageLabels(reference)) ?? {};
    const name = labels[IMAGE_LABEL.name];
    const arch = labels[IMAGE_LABEL.arch];
    if (arch !== undefined && arch !== engine.info.arch) {
      throw new SquallError(
        `image ${reference}: was made for ${arch}; expected ${engine.info.arch}, as the engine's machine is`,
        {
          code: 'image-archive',
          blame: 'input',
          hint: 'Save the archive with an engine on a machine of the same kind.',
        },
      );
    }
    if (name !== undefined) await engine.tagImage(reference, loadedTag(name));
    images.push({ name: name ?? reference, reference, ...(arch !== undefined && { arch }) });
  }
  return images;
}

function tooOld(name: string): SquallError {
  return new SquallError(
    `image ${name}: was built by a Squall that kept no sources' hash; expected one, so that it is known again`,
    {
      code: 'image-archive',
      hint: `Build it anew: \`squall images prune --all ${name}\`, then \`squall images build ${name}\`.`,
    },
  );
}
