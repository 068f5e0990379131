import type { Engine } from '../engine/index.ts';
import type { BuildLog } from './build-log.ts';
import type { ImageDescription } from './read-images.ts';

/** One image to be made under one tag. */
export interface BuildJob {
  readonly description: ImageDescription;
  readonly tag: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly log: BuildLog;
  /** Reference of the image that this one stands on, for the kinds that have one of ours. */
  readonly base: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** A folder that outlives the build, for what the next version can use again. */
  readonly cacheDir: string;
  /** A line now and then, of a build that takes minutes. */
  readonly progress?: (text: string) => void;
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
