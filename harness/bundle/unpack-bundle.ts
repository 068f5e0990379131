import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Extract, extract } from 'tar-stream';
import { SquallError } from '../errors/index.ts';
import {
  BUNDLE_VERSION,
  type BundledFile,
  type BundleManifest,
  MANIFEST,
  manifestSchema,
} from './manifest.ts';

const MAX_MANIFEST_BYTES = 64 * 1024 ** 2;
const MAX_TOTAL_BYTES = 16 * 1024 ** 3;
/** A path within the bundle: no root, no `.` or `..`, nothing that a file system could read otherwise. */
const SAFE_PATH = /^(?!\/)(?!.*(^|\/)\.{1,2}(\/|$))[A-Za-z0-9._,=~@+\-/]+$/;

/** What a bundle says of itself; nothing is written. @throws SquallError `bad-bundle`, `bundle-too-new` (input) */
export async function readManifest(file: string): Promise<BundleManifest> {
  return await eachEntry(file, async (manifest) => ({ done: manifest }));
}

/**
 * Unpacks a bundle into an empty folder. It comes from somebody else: paths that lead out of it, links, files that its
 * manifest does not list, other sizes and other contents are all refused.
 * @throws SquallError `bad-bundle`, `bundle-too-new` (input)
 */
export async function unpackBundle(file: string, dir: string): Promise<BundleManifest> {
  const left = new Map<string, BundledFile>();
  const manifest = await eachEntry(file, async (read, entry) => {
    if (!entry) {
      for (const one of read.files) left.set(one.path, one);
      return {};
    }
    const listed = left.get(entry.name);
    if (!listed) throw bad(file, `${entry.name} is not listed, or stands twice`);
    left.delete(entry.name);
    await takeFile(file, entry.content, join(dir, entry.name), listed);
    return {};
  });
  const [missing] = left.keys();
  if (missing !== undefined) throw bad(file, `${missing} is listed and not in it`);
  return manifest;
}

interface Entry {
  readonly name: string;
  readonly content: AsyncIterable<unknown>;
}

/** Calls `take` with the manifest, then with each file; `done` ends it early. */
async function eachEntry(
  file: string,
  take: (manifest: BundleManifest, entry?: Entry) => Promise<{ readonly done?: BundleManifest }>,
): Promise<BundleManifest> {
  const tar = extract();
  const source = createReadStream(file);
  const gunzip = createGunzip();
  const fed = pipeline(source, gunzip, tar).catch((error: unknown) => {
    // The reader below is told by the stream; one that ended early on purpose needs no word.
    tar.destroy(error as Error);
  });
  try {
    return await readEntries(file, tar, take);
  } catch (error) {
    if (error instanceof SquallError) throw error;
    throw bad(file, `it cannot be read (${(error as Error).message})`, error);
  } finally {
    tar.destroy();
    source.destroy();
    gunzip.destroy();
    await fed;
  }
}

async function readEntries(
  file: string,
  tar: Extract,
  take: (manifest: BundleManifest, entry?: Entry) => Promise<{ readonly done?: BundleManifest }>,
): Promise<BundleManifest> {
  let manifest: BundleManifest | undefined;
  for await (const entry of tar) {
    const { name, type } = entry.header;
    if (type !== 'file') throw bad(file, `${name} is a ${type}; expected files only`);
    if (!manifest) {
      if (name !== MANIFEST) throw bad(file, `it begins with ${name}; expected ${MANIFEST}`);
      manifest = parseManifest(file, await textOf(file, entry));
      const { done } = await take(manifest);
      if (done) return done;
      continue;
    }
    await take(manifest, { name, content: entry });
  }
  if (!manifest) throw bad(file, 'it is empty');
  return manifest;
}

function parseManifest(file: string, text: string): BundleManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw bad(file, 'its manifest is not JSON', error);
  }
  const version = (value as { bundleVersion?: unknown } | null)?.bundleVersion;
  if (typeof version === 'number' && version > BUNDLE_VERSION) {
    throw new SquallError(
      `bundle ${file}: is of version ${version}; this Squall reads up to ${BUNDLE_VERSION}.`,
      {
        code: 'bundle-too-new',
        blame: 'input',
        hint: 'Use a later Squall.',
      },
    );
  }
  const parsed = manifestSchema.safeParse(value);
  const [issue] = parsed.error?.issues ?? [];
  if (!parsed.success) throw bad(file, `its manifest: ${issue?.path.join('.')}: ${issue?.message}`);
  const unsafe = parsed.data.files.find(({ path }) => !SAFE_PATH.test(path));
  if (unsafe) throw bad(file, `${JSON.stringify(unsafe.path)} is no path within it`);
  const totalBytes = parsed.data.files.reduce((sum, one) => sum + one.sizeBytes, 0);
  if (totalBytes > MAX_TOTAL_BYTES)
    throw bad(file, `it would take ${totalBytes} bytes; expected at most ${MAX_TOTAL_BYTES}`);
  return parsed.data;
}

async function textOf(file: string, content: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of content) {
    size += (chunk as Buffer).length;
    if (size > MAX_MANIFEST_BYTES) throw bad(file, 'its manifest is too long');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function takeFile(
  file: string,
  content: AsyncIterable<unknown>,
  to: string,
  listed: BundledFile,
): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  const hash = createHash('sha256');
  let size = 0;
  const watch = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      hash.update(chunk);
      done(size > listed.sizeBytes ? bad(file, `${listed.path} is longer than listed`) : null, chunk);
    },
  });
  await pipeline(content, watch, createWriteStream(to, { flags: 'wx' }));
  if (size !== listed.sizeBytes || hash.digest('hex') !== listed.sha256) {
    throw bad(file, `${listed.path} is not what its manifest says`);
  }
}

function bad(file: string, problem: string, cause?: unknown): SquallError {
  return new SquallError(`bundle ${file}: ${problem}; expected a bundle that \`squall bundle\` wrote.`, {
    code: 'bad-bundle',
    blame: 'input',
    ...(cause !== undefined && { cause }),
  });
}
