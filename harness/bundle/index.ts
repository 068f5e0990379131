/**
 * bundle: a run in one file, to be handed to somebody else.
 *
 *   packBundle(runDir, file) ─▶ tar.gz: manifest.json, then the record ─▶ unpackBundle(file, dir)
 *
 * Without secrets and environments; what is in it, and what is not, stands in its manifest with sizes and hashes, and
 * everything is held against that when it is unpacked. Bounds: 16 GiB in all. Not here: running it again (`session`).
 */
export { OPTIONAL_PARTS, type OptionalPart } from './choose-files.ts';
export { describeBundle } from './describe-bundle.ts';
export type { BundledFile, BundleManifest } from './manifest.ts';
export { packBundle } from './pack-bundle.ts';
export { readManifest, unpackBundle } from './unpack-bundle.ts';
