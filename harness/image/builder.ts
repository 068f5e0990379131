import type { Engine } from '../engine/index.ts';
import type { BuildLog } from './build-log.ts';
import type { ImageDescription } from './read-images.ts';

/** One image to be made under one tag. */
export interface BuildJob {
  readonly description: ImageDescription;
  readonly tag: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly log: BuildLog;
  /** Makes sure of another of our images first, and gives its reference. */
  ensureBase(name: string): Promise<string>;
  readonly signal: AbortSignal | undefined;
}

/** A kind of build. */
export interface Builder<Recipe> {
  /** What besides recipe and builder version decides the result, as named parts. */
  contentHash(
    recipe: Recipe,
    description: ImageDescription,
  ): Promise<readonly (readonly [name: string, content: string])[]>;
  /** @returns the image's id */
  build(recipe: Recipe, job: BuildJob, engine: Engine): Promise<string>;
}
