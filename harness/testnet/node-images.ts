import type { Engine } from '../engine/index.ts';
import { SquallError } from '../errors/index.ts';
import { ensureImage } from '../image/index.ts';
import type { ImageSource, ResolvedTopology } from '../topology/index.ts';
import { mapBounded } from './bounded.ts';
import { imageText, type NodeImage } from './live-node.ts';
import type { BedProgress } from './types.ts';

/** Images ensured at once; the image room bounds its builds by itself. */
const ENSURE_CONCURRENCY = 2;

/** Every image of a topology, each ensured once; variants are settings of one image. */
export class NodeImages {
  readonly #images: ReadonlyMap<string, NodeImage>;

  private constructor(images: ReadonlyMap<string, NodeImage>) {
    this.#images = images;
  }

  static async ensure(
    engine: Engine,
    topology: ResolvedTopology,
    progress: (progress: BedProgress) => void,
    signal: AbortSignal,
  ): Promise<NodeImages> {
    const sources = new Map(topology.nodes.map(({ image }) => [keyOf(image), image]));
    const images = new Map<string, NodeImage>();
    await mapBounded([...sources], ENSURE_CONCURRENCY, async ([key, source]) => {
      const report = (text: string): void =>
        progress({
          stage: 'images',
          done: images.size,
          total: sources.size,
          text: `${imageText(source)}: ${text}`,
        });
      const ensured = await ensureImage(engine, source, { onProgress: report, signal });
      images.set(key, { reference: ensured.reference, imageId: ensured.imageId });
      report(ensured.outcome);
    });
    return new NodeImages(images);
  }

  of(source: ImageSource): NodeImage {
    const image = this.#images.get(keyOf(source));
    if (image) return image;
    throw new SquallError(`image ${imageText(source)}: was not ensured with the topology`, {
      code: 'image-not-ensured',
    });
  }
}

function keyOf(source: ImageSource): string {
  return source.kind === 'ours'
    ? `ours:${source.name}:${source.version ?? ''}`
    : `reference:${source.reference}`;
}
