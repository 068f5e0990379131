import type { Builder } from './builder.ts';
import { type Bundle, bundleNode } from './bundle.ts';
import { hashParts } from './content-hash.ts';
import { contextTar } from './context-tar.ts';
import type { BuildRecipe } from './image-schema.ts';

type NodeRecipe = Extract<BuildRecipe, { kind: 'node' }>;

/** The image of ours that TypeScript images stand on. */
export const NODE_BASE = 'node-base';

const DOCKERFILE = (base: string): string =>
  [
    `FROM ${base}`,
    'COPY main.mjs main.mjs.map /app/',
    'ENV NODE_ENV=production',
    'ENTRYPOINT ["node", "--enable-source-maps", "/app/main.mjs"]',
    'CMD []',
    '',
  ].join('\n');

/** A TypeScript program, bundled into one file on the common base. Its hash is the bundle's: shared sources count. */
export const nodeBuilder: Builder<NodeRecipe> = {
  async contentHash(recipe, { folder }) {
    const bundle: Bundle = await bundleNode(folder, recipe.entry);
    return [
      ['dockerfile', DOCKERFILE(NODE_BASE)],
      ['bundle', hashParts([['code', bundle.code]])],
    ];
  },
  async build(recipe, job, engine) {
    const bundle = await bundleNode(job.description.folder, recipe.entry);
    const base = job.base ?? NODE_BASE;
    job.log.write(`bundled ${recipe.entry}: ${bundle.code.length} characters, on ${base}`);
    const tar = contextTar(job.description.folder, [], {
      'Dockerfile.squall': DOCKERFILE(base),
      'main.mjs': bundle.code,
      'main.mjs.map': bundle.sourceMap,
    });
    const options = { tag: job.tag, labels: job.labels, dockerfile: 'Dockerfile.squall' };
    return engine.buildImage(tar, options, (text) => job.log.write(text.trimEnd()));
  },
};
