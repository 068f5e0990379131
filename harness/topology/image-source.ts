import { suggest, suggestionFor } from '../document/index.ts';
import type { ImageDescription } from './image-description.ts';
import type { ImageSource } from './types.ts';

/**
 * `NAME[:VERSION][@VARIANT]` of ours, or a Docker reference: what names a known image is ours; a name with a slash, a
 * digest, or no likeness to any of ours is a reference.
 * @returns the source with the description of our image, or a sentence that says what is wrong.
 */
export function parseImageSource(
  text: string,
  images: readonly ImageDescription[],
): { readonly source: ImageSource; readonly description?: ImageDescription } | string {
  const match = /^([^:@]+)(?::([^@]+))?(?:@(.+))?$/.exec(text);
  const [, name = '', version, variant] = match ?? [];
  const description = images.find((image) => image.name === name);
  if (description) {
    return {
      description,
      source: { kind: 'ours', name, ...(version ? { version } : {}), ...(variant ? { variant } : {}) },
    };
  }
  if (/\s/.test(text) || text === '') return `"${text}" is no image reference`;
  const names = images.map((image) => image.name);
  if (variant !== undefined && !variant.includes(':')) {
    return `"${name}" is none of our images, and only they have variants${suggestionFor(name, names)}`;
  }
  if (!text.includes('/') && !text.includes('@')) {
    const meant = suggest(name, names);
    if (meant) {
      return `"${name}" is none of our images; did you mean "${meant}"? (Write docker.io/library/${text} for a public image of that name.)`;
    }
  }
  if (
    !/^[a-z0-9][a-z0-9._\-/:]*(?:\/[a-z0-9._-]+)*(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/i.test(
      text,
    )
  ) {
    return `"${text}" is no image reference; expected NAME[:VERSION][@VARIANT] of ours or a Docker reference`;
  }
  return { source: { kind: 'reference', reference: text } };
}
