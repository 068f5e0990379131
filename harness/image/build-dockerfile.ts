import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Builder } from './builder.ts';
import { contextFiles, hashFiles } from './content-hash.ts';
import { contextTar } from './context-tar.ts';
import type { BuildRecipe } from './image-schema.ts';

type DockerfileRecipe = Extract<BuildRecipe, { kind: 'dockerfile' }>;

/** The folder's own Dockerfile, with the folder (or the recipe's inputs) as its context. */
export const dockerfileBuilder: Builder<DockerfileRecipe> = {
  async contentHash(recipe, { folder }) {
    return [
      ['files', hashFiles(folder, contextFiles(folder, recipe.inputs))],
      ['dockerfile', readFileSync(join(folder, recipe.dockerfile), 'utf8')],
    ];
  },
  async build(recipe, job, engine) {
    const { folder } = job.description;
    const files = contextFiles(folder, recipe.inputs).filter((file) => file !== recipe.dockerfile);
    const dockerfile = readFileSync(join(folder, recipe.dockerfile));
    const tar = contextTar(folder, files, { 'Dockerfile.squall': dockerfile });
    const options = { tag: job.tag, labels: job.labels, dockerfile: 'Dockerfile.squall' };
    return engine.buildImage(tar, options, (text) => job.log.write(text.trimEnd()));
  },
};
