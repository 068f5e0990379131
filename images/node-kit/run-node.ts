import { isMainThread } from 'node:worker_threads';
import type { ImageFacts } from './image-facts.ts';
import type { StartNode } from './node-context.ts';
import { supervise } from './supervise.ts';
import { work } from './work.ts';

/**
 * Runs an image's node. Called once by its main.ts, which both threads load.
 * @param image the image's own image.json
 * @param entry `import.meta.url` of main.ts
 */
export async function runNode(image: ImageFacts, entry: string, start: StartNode): Promise<void> {
  if (isMainThread) await supervise(image, new URL(entry));
  else await work(image, start);
}
