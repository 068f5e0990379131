import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Engine } from '../engine/index.ts';
import type { ImageDescription } from '../image/index.ts';
import type { ResolvedNode } from '../topology/index.ts';

/** Where a tmpfs of a topology lies: it goes with its container, and no engine reads it for us. */
const TMPFS = '/data';

/**
 * Folder of the files that a node finds again as another version of its image, by the image's own word (`keeps`); undefined where it
 * begins with nothing: as another image, as one that says nothing, or on a disk that goes with the container.
 */
export function keptFolder(
  before: Pick<ResolvedNode, 'image'>,
  after: Pick<ResolvedNode, 'image' | 'environment' | 'resources'>,
  images: readonly ImageDescription[],
): string | undefined {
  const [from, to] = [before.image, after.image];
  if (from.kind !== 'ours' || to.kind !== 'ours' || from.name !== to.name) return undefined;
  const description = images.find(({ name }) => name === to.name);
  const setting = description?.settings.find(({ name }) => name === description.keeps);
  if (!setting) return undefined;
  const folder = after.environment[setting.env] || String(setting.default);
  const isTmpfs = after.resources.tmpfsBytes !== undefined && `${folder}/`.startsWith(`${TMPFS}/`);
  return isTmpfs ? undefined : folder;
}

/** Files of a container that has ended, on this host's disk until they are laid into the next. */
export interface CarriedFiles {
  into(containerId: string): Promise<void>;
  remove(): Promise<void>;
}

/** @throws SquallError of the engine, such as `path-not-found`, or of this host's disk */
export async function takeFiles(
  engine: Engine,
  containerId: string,
  folder: string,
  signal: AbortSignal,
): Promise<CarriedFiles> {
  const scratch = await mkdtemp(join(tmpdir(), 'squall-carried-'));
  const file = join(scratch, 'files.tar');
  const remove = (): Promise<void> => rm(scratch, { recursive: true, force: true });
  try {
    await pipeline(await engine.readFiles(containerId, folder, signal), createWriteStream(file), { signal });
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    into: (next) => engine.writeFiles(next, dirname(folder), createReadStream(file), signal),
    remove,
  };
}
