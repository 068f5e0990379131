/**
 * image: from a name to an image that the engine has.
 *
 *     images/NAME/image.json ─▶ content hash ─▶ squall/NAME:HASH12 ─▶ cached | pulled | built
 *
 * Defaults: 2 builds at once; logs in reports/images/NAME.log; locks in the state directory's builds/. Kinds of build:
 * go, go-install, cargo, node, node-base, dockerfile. Not here: settings of a node (topology), starting one (testnet).
 */
export { type Bundle, bundleNode } from './bundle.ts';
export {
  checkVersion,
  type EnsuredImage,
  type EnsureOptions,
  ensureImage,
  IMAGE_LABEL,
  type ImageRequest,
  imageHash,
  imageTag,
} from './ensure-image.ts';
export { type ArchivedImage, loadImages, saveImages } from './image-archive.ts';
export { type BuildRecipe, type ImageDocument, imageSchema } from './image-schema.ts';
export {
  type ImageStatus,
  listImages,
  type PrunedImage,
  type PruneOptions,
  pruneImages,
} from './list-images.ts';
export { IMAGES_DIR, type ImageDescription, readImage, readImages, requireImage } from './read-images.ts';
