import type { Engine } from '../engine/index.ts';
import { hasCode } from '../engine/index.ts';
import { IMAGE_LABEL, imageHash, imageTag } from './ensure-image.ts';
import { IMAGES_DIR, readImages } from './read-images.ts';

/** One of our images as it stands with the engine. */
export interface ImageStatus {
  readonly name: string;
  readonly description: string;
  readonly build: string;
  readonly tag: string;
  readonly state: 'ready' | 'not built' | 'stale' | 'broken';
  /** Of the current content, or of the newest that is there. */
  readonly sizeBytes?: number;
  /** Builds of other content that the engine still has. */
  readonly staleTags: readonly string[];
  /** Why the current content cannot be told (its sources do not bundle, for example). */
  readonly problem?: string;
}

/** What of ours the engine has, and whether it is of the content that lies here now. */
export async function listImages(
  engine: Engine,
  imagesDir: string = IMAGES_DIR,
): Promise<readonly ImageStatus[]> {
  const present = await engine.listImages([IMAGE_LABEL.name]);
  return Promise.all(
    readImages(imagesDir).map(async (description): Promise<ImageStatus> => {
      const { name, build } = description;
      const ours = present.filter((image) => image.labels[IMAGE_LABEL.name] === name);
      const common = { name, description: description.description, build: build.kind };
      let hash: string;
      try {
        hash = await imageHash(description);
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        return { ...common, tag: `squall/${name}`, state: 'broken', staleTags: tagsOf(ours), problem };
      }
      const tag = imageTag(name, hash);
      const current = ours.find((image) => image.labels[IMAGE_LABEL.hash] === hash);
      const pulled = current ? undefined : await engine.imageId(tag);
      const stale = ours.filter((image) => image !== current);
      const state = current || pulled ? 'ready' : stale.length > 0 ? 'stale' : 'not built';
      const sized = current ?? stale[0];
      return {
        ...common,
        tag,
        state,
        staleTags: tagsOf(stale),
        ...(sized ? { sizeBytes: sized.sizeBytes } : {}),
      };
    }),
  );
}

function tagsOf(
  images: readonly { readonly id: string; readonly tags: readonly string[] }[],
): readonly string[] {
  return images.flatMap((image) => (image.tags.length > 0 ? image.tags : [image.id]));
}

export interface PruneOptions {
  readonly dryRun: boolean;
  /** Also what is current; else only builds of other content. */
  readonly all: boolean;
  readonly names?: readonly string[];
  readonly imagesDir?: string;
}

export interface PrunedImage {
  readonly reference: string;
  readonly sizeBytes: number;
  readonly outcome: 'removed' | 'would be removed' | 'in use';
}

/**
 * Removes images that we built and that no container uses. Others' are never touched, nor is what a container, running
 * or not, was made from; the engine itself refuses what another image stands on.
 */
export async function pruneImages(engine: Engine, options: PruneOptions): Promise<readonly PrunedImage[]> {
  const imagesDir = options.imagesDir ?? IMAGES_DIR;
  const present = await engine.listImages([IMAGE_LABEL.name]);
  const current = new Set<string>();
  if (!options.all)
    for (const description of readImages(imagesDir)) current.add(await imageHash(description));
  const used = new Set((await engine.listContainers([])).map((container) => container.imageId));
  // Several versions of one program are wanted side by side, and each took minutes.
  const kept = new Set(
    readImages(imagesDir)
      .filter(({ build }) => build.kind === 'cargo' && !options.all)
      .map(({ name }) => name),
  );
  const doomed = present.filter((image) => {
    const name = image.labels[IMAGE_LABEL.name] ?? '';
    const named = options.names?.length ? options.names.includes(name) : !kept.has(name);
    return named && !current.has(image.labels[IMAGE_LABEL.hash] ?? '');
  });
  // What stands on a base goes before the base.
  const ordered = [...doomed].sort((a, b) => Number(isBase(a)) - Number(isBase(b)));
  const pruned: PrunedImage[] = [];
  for (const image of ordered) {
    for (const reference of image.tags.length > 0 ? image.tags : [image.id]) {
      const { sizeBytes } = image;
      if (used.has(image.id)) pruned.push({ reference, sizeBytes, outcome: 'in use' });
      else if (options.dryRun) pruned.push({ reference, sizeBytes, outcome: 'would be removed' });
      else pruned.push({ reference, sizeBytes, outcome: await removeUnlessUsed(engine, reference) });
    }
  }
  return pruned;
}

function isBase(image: { readonly labels: Readonly<Record<string, string>> }): boolean {
  return image.labels[IMAGE_LABEL.name] === 'node-base';
}

async function removeUnlessUsed(engine: Engine, reference: string): Promise<'removed' | 'in use'> {
  try {
    await engine.removeImage(reference);
    return 'removed';
  } catch (error) {
    if (hasCode(error, 'image-in-use', 'name-conflict')) return 'in use';
    throw error;
  }
}
