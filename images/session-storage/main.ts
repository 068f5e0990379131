/** A storage node of a Session network; a node of the role `storm` is no member, and only stands in the place of others. */
import { type NodeContext, type RunningNode, runNode } from '../node-kit/index.ts';
import image from './image.json' with { type: 'json' };
import { startStorage } from './start-storage.ts';

await runNode(image, import.meta.url, async (node: NodeContext): Promise<RunningNode> => {
  if (node.role === 'storage' || node.role === 'storm') return await startStorage(node);
  throw new Error(`role "${node.role}": expected storage or storm`);
});
