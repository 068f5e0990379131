import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Engine } from '../engine/index.ts';
import { SquallError } from '../errors/index.ts';
import { acquireLock, stateHome } from '../state/index.ts';
import { cargoBuilder } from './build-cargo.ts';
import { dockerfileBuilder } from './build-dockerfile.ts';
import { goBuilder } from './build-go.ts';
import { goInstallBuilder } from './build-go-install.ts';
import { BuildLog } from './build-log.ts';
import { NODE_BASE, nodeBuilder } from './build-node.ts';
import { nodeBaseBuilder } from './build-node-base.ts';
import type { Builder } from './builder.ts';
import { BUILDER_VERSION, hashParts, sourceParts } from './content-hash.ts';
import type { BuildRecipe } from './image-schema.ts';
import { programSource } from './program-source.ts';
import { IMAGES_DIR, type ImageDescription, requireImage } from './read-images.ts';
import { whyNotPullable } from './registry.ts';
import { Slots } from './slots.ts';

/** Builds at once in this process; each uses all cores by itself for part of its time. */
const PARALLEL_BUILDS = 2;

/** A build by another process is waited for this long. */
const BUILD_DEADLINE_MS = 1_800_000;

const slots = new Slots(PARALLEL_BUILDS);

export const IMAGE_LABEL = {
  name: 'squall.image',
  hash: 'squall.image.hash',
  /** Of the sources alone, the same on every machine: by it an image from an archive is known. */
  source: 'squall.image.source',
  arch: 'squall.image.arch',
} as const;

/** As in a resolved topology: one of ours by name, or any reference. */
export type ImageRequest =
  | { readonly kind: 'ours'; readonly name: string; readonly version?: string; readonly variant?: string }
  | { readonly kind: 'reference'; readonly reference: string };

export interface EnsureOptions {
  readonly onProgress?: (text: string) => void;
  readonly signal?: AbortSignal;
  /** Folder with one folder an image; the one that Squall ships by default. */
  readonly imagesDir?: string;
  /** Build logs go to `images/NAME.log` below it, `NAME-VERSION.log` for a crate; `reports` by default. */
  readonly reportsDir?: string;
  readonly stateDir?: string;
}

export interface EnsuredImage {
  readonly reference: string;
  readonly imageId: string;
  readonly outcome: 'pulled' | 'built' | 'cached';
}

const BUILDERS = {
  go: goBuilder,
  'go-install': goInstallBuilder,
  cargo: cargoBuilder,
  node: nodeBuilder,
  'node-base': nodeBaseBuilder,
  dockerfile: dockerfileBuilder,
} as const;

function builderFor(recipe: BuildRecipe): Builder<BuildRecipe> {
  return BUILDERS[recipe.kind] as Builder<BuildRecipe>;
}

/** The recipe with another version of what it installs. @throws SquallError `image-version-refused` (input) */
function atVersion(description: ImageDescription, version: string | undefined): ImageDescription {
  if (version === undefined) return description;
  const { build, name } = description;
  if (build.kind === 'cargo') return { ...description, build: { ...build, version } };
  if (build.kind !== 'go-install') {
    throw new SquallError(`image ${name}:${version}: is built from sources here and has no other versions`, {
      code: 'image-version-refused',
      blame: 'input',
      hint: `Write ${name} without a version, or the full reference of a published image.`,
    });
  }
  return { ...description, build: { ...build, version: `v${version.replace(/^v/, '')}` } };
}

/**
 * Refuses an image of ours at a version that it cannot have: no such image, no version, or a program that is not there.
 * Nothing is built or pulled.
 * @throws SquallError `unknown-image`, `image-version-refused`, `bad-version` (input)
 */
export function checkVersion(
  { name, version }: Extract<ImageRequest, { kind: 'ours' }>,
  imagesDir = IMAGES_DIR,
): void {
  const { build } = atVersion(requireImage(name, imagesDir), version);
  if (build.kind === 'cargo') programSource(name, build.version);
}

/** Builds of two versions go on side by side, and are told apart by it. */
function labelOf({ name, build }: ImageDescription): string {
  return build.kind === 'cargo' ? `${name}:${build.version}` : name;
}

/** The base of TypeScript images: the folder's own where a user's folder has one, else ours. */
function baseDescription(name: string, description: ImageDescription): ImageDescription {
  const beside = dirname(description.folder);
  return requireImage(name, existsSync(join(beside, name, 'image.json')) ? beside : IMAGES_DIR);
}

/** Full SHA-256 over everything that decides the image's content. */
export async function imageHash(description: ImageDescription): Promise<string> {
  return (await imageHashes(description)).content;
}

interface ImageHashes {
  readonly content: string;
  readonly source: string;
}

async function imageHashes(description: ImageDescription): Promise<ImageHashes> {
  const { build, name } = description;
  const content = [...(await builderFor(build).contentHash(build, description))];
  if (build.kind === 'node') content.push(['base', await imageHash(baseDescription(NODE_BASE, description))]);
  const hashOf = (parts: typeof content): string =>
    hashParts([
      ['builder', String(BUILDER_VERSION)],
      ['name', name],
      ['recipe', JSON.stringify(build)],
      ...parts,
    ]);
  return { content: hashOf(content), source: hashOf([...sourceParts(build.kind, content)]) };
}

/** Under this tag `squall images load` leaves what an archive brought. */
export function loadedTag(name: string): string {
  return `squall/${name}:loaded`;
}

/** One from an archive, if it was made from these very sources for this kind of machine; other tools may have made it. */
async function findLoaded(
  engine: Engine,
  description: ImageDescription,
  target: { readonly tag: string; readonly source: string },
): Promise<string | undefined> {
  const labels = await engine.imageLabels(loadedTag(description.name));
  if (labels?.[IMAGE_LABEL.source] !== target.source || labels[IMAGE_LABEL.arch] !== engine.info.arch)
    return undefined;
  await engine.tagImage(loadedTag(description.name), target.tag);
  return await engine.imageId(target.tag);
}

/** The tag of an image of ours with this content. */
export function imageTag(name: string, hash: string): string {
  return `squall/${name}:${hash.slice(0, 12)}`;
}

async function findCached(engine: Engine, tag: string, hash: string): Promise<string | undefined> {
  const tagged = await engine.imageId(tag);
  if (tagged) return tagged;
  const [labelled] = await engine.listImages([`${IMAGE_LABEL.hash}=${hash}`]);
  if (!labelled) return undefined;
  await engine.tagImage(labelled.id, tag);
  return labelled.id;
}

async function ensureReference(
  engine: Engine,
  reference: string,
  options: EnsureOptions,
): Promise<EnsuredImage> {
  const present = await engine.imageId(reference);
  if (present) return { reference, imageId: present, outcome: 'cached' };
  options.onProgress?.(`pulling ${reference}`);
  await engine.pullImage(reference, (text) => options.onProgress?.(`${reference}: ${text}`), options.signal);
  const imageId = await engine.imageId(reference);
  if (!imageId)
    throw new SquallError(`image ${reference}: not there after the pull`, { code: 'image-not-found' });
  return { reference, imageId, outcome: 'pulled' };
}

async function ensureOurs(
  engine: Engine,
  description: ImageDescription,
  options: EnsureOptions,
): Promise<EnsuredImage> {
  const { content: hash, source } = await imageHashes(description);
  const { name } = description;
  const tag = imageTag(name, hash);
  const cached =
    (await findCached(engine, tag, hash)) ?? (await findLoaded(engine, description, { tag, source }));
  if (cached) return { reference: tag, imageId: cached, outcome: 'cached' };
  const underway = inThisProcess.get(tag);
  if (underway) return { ...(await underway), outcome: 'cached' };
  const making = makeOurs(engine, description, { tag, hash, source }, options).finally(() =>
    inThisProcess.delete(tag),
  );
  inThisProcess.set(tag, making);
  return making;
}

/** Builds that this process is at, by tag: a second caller waits for the first. */
const inThisProcess = new Map<string, Promise<EnsuredImage>>();

async function makeOurs(
  engine: Engine,
  description: ImageDescription,
  target: { readonly tag: string; readonly hash: string; readonly source: string },
  options: EnsureOptions,
): Promise<EnsuredImage> {
  const { tag, hash, source } = target;
  const { name } = description;
  const lock = await acquireLock(
    join(options.stateDir ?? stateHome(), 'builds', `${name}-${hash.slice(0, 12)}.lock`),
    {
      withinMs: BUILD_DEADLINE_MS,
      facts: { image: name },
      onWait: (owner) =>
        options.onProgress?.(
          `${labelOf(description)}: waiting for process ${owner.pid}, which is building it`,
        ),
      ...(options.signal ? { signal: options.signal } : {}),
    },
  );
  try {
    const meanwhile = await findCached(engine, tag, hash);
    if (meanwhile) return { reference: tag, imageId: meanwhile, outcome: 'cached' };
    // Before a slot is taken: the base may need one itself.
    const base =
      description.build.kind === 'node'
        ? (await ensureOurs(engine, baseDescription(NODE_BASE, description), options)).reference
        : undefined;
    return await slots.run(() => pullOrBuild(engine, description, { tag, hash, source, base }, options));
  } finally {
    lock.release();
  }
}

async function pullOrBuild(
  engine: Engine,
  description: ImageDescription,
  target: {
    readonly tag: string;
    readonly hash: string;
    readonly source: string;
    readonly base: string | undefined;
  },
  options: EnsureOptions,
): Promise<EnsuredImage> {
  const { name, pull, build } = description;
  if (pull && !(await whyNotPullable(engine, pull, options.signal))) {
    options.onProgress?.(`${name}: pulling ${pull}`);
    await engine.pullImage(pull, (text) => options.onProgress?.(`${name}: ${text}`), options.signal);
    await engine.tagImage(pull, target.tag);
    return { reference: target.tag, imageId: (await engine.imageId(target.tag)) ?? '', outcome: 'pulled' };
  }
  const label = labelOf(description);
  options.onProgress?.(`${label}: building (${build.kind})`);
  const started = performance.now();
  const log = new BuildLog(options.reportsDir ?? 'reports', label.replace(/[^\w.-]+/g, '-'));
  const imageId = await builderFor(build).build(
    build,
    {
      description,
      tag: target.tag,
      labels: {
        [IMAGE_LABEL.name]: name,
        [IMAGE_LABEL.hash]: target.hash,
        [IMAGE_LABEL.source]: target.source,
        [IMAGE_LABEL.arch]: engine.info.arch,
      },
      log,
      base: target.base,
      cacheDir: join(options.stateDir ?? stateHome(), 'builds', 'cache', name),
      signal: options.signal,
      progress: (text) => options.onProgress?.(`${label}: ${text}`),
    },
    engine,
  );
  options.onProgress?.(`${label}: built in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return { reference: target.tag, imageId, outcome: 'built' };
}

/**
 * Makes sure that the engine has an image: looks for it by content, else pulls it where a registry answers, else builds
 * it. Two processes, or two callers here, never build the same content twice.
 * @throws SquallError `image-build-failed` with the end of its log, `unknown-image` (input), `registry-unreachable`
 */
export async function ensureImage(
  engine: Engine,
  request: ImageRequest,
  options: EnsureOptions = {},
): Promise<EnsuredImage> {
  if (request.kind === 'reference') return ensureReference(engine, request.reference, options);
  const description = requireImage(request.name, options.imagesDir ?? IMAGES_DIR);
  return ensureOurs(engine, atVersion(description, request.version), options);
}
