import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Pack, pack } from 'tar-stream';
import { readRun, readTrial, redactCommand, type StoredRun } from '../record/index.ts';
import { chooseFiles, type OptionalPart } from './choose-files.ts';
import { cleanFile } from './clean-file.ts';
import { BUNDLE_VERSION, type BundledFile, type BundleManifest, MANIFEST } from './manifest.ts';

/** A fixed time, so that the same run gives the same bytes. */
const EPOCH = new Date(0);

/**
 * Packs a run into one file: its record, its inputs, logs and captures, the ids of its images. Secrets and environments are
 * left out; the manifest, the first file in it, lists what is in it and what is not. The same run gives the same bytes.
 * @param out written in one step, when it is complete
 * @throws SquallError `run-not-found`, `record-damaged` (input)
 */
export async function packBundle(
  runDir: string,
  out: string,
  options: { readonly without?: readonly OptionalPart[]; readonly suites?: readonly string[] } = {},
): Promise<BundleManifest> {
  const stored = await readRun(runDir);
  const { files: chosen, leftOut } = await chooseFiles(stored.dir, options.without ?? []);
  const staging = await mkdtemp(join(dirname(resolve(out)), '.squall-bundle-'));
  try {
    const files: BundledFile[] = [];
    for (const { path, what, cleaning } of chosen) {
      const cleaned = join(staging, path);
      await cleanFile(join(stored.dir, path), cleaned, cleaning);
      files.push({ path, what, ...(await measure(cleaned)) });
    }
    const manifest = await manifestOf(stored, files, leftOut, options.suites ?? []);
    const archive = join(staging, 'bundle.tar.gz');
    await writeArchive(archive, staging, manifest);
    await rename(archive, out);
    return manifest;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function manifestOf(
  { plan, run, trials }: StoredRun,
  files: readonly BundledFile[],
  leftOut: readonly string[],
  suites: readonly string[],
): Promise<BundleManifest> {
  const images = new Map<string, { image: string; imageId: string }>();
  for (const ref of trials.filter(({ finished }) => finished)) {
    const { nodes } = await readTrial(ref.dir);
    for (const { image, imageId } of nodes) images.set(`${image} ${imageId}`, { image, imageId });
  }
  return {
    bundleVersion: BUNDLE_VERSION,
    squallVersion: plan.squallVersion,
    runId: plan.runId,
    seed: plan.seed,
    command: redactCommand(plan.command),
    ...(run && { verdict: run.verdict }),
    checks: (run?.points ?? []).flatMap(({ pointId, checks }) =>
      checks.map(({ title, verdict }) => ({ pointId, title, verdict })),
    ),
    images: [...images.values()].sort((a, b) => (a.image < b.image ? -1 : 1)),
    suites: [...suites],
    leftOut: [...leftOut],
    files: [...files],
  };
}

async function measure(file: string): Promise<{ readonly sizeBytes: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return { sizeBytes: (await stat(file)).size, sha256: hash.digest('hex') };
}

async function writeArchive(archive: string, staging: string, manifest: BundleManifest): Promise<void> {
  const tar = pack();
  const written = pipeline(tar, createGzip(), createWriteStream(archive));
  tar.entry({ name: MANIFEST, mtime: EPOCH }, `${JSON.stringify(manifest, undefined, 2)}\n`);
  // A writer that broke must not leave us waiting for an entry to be taken.
  const filled = fill(tar, staging, manifest.files);
  await Promise.all([written, Promise.race([filled, written])]);
}

async function fill(tar: Pack, staging: string, files: readonly BundledFile[]): Promise<void> {
  for (const { path, sizeBytes } of files) {
    const entry = tar.entry({ name: path, size: sizeBytes, mtime: EPOCH });
    await pipeline(createReadStream(join(staging, path)), entry);
  }
  tar.finalize();
}
