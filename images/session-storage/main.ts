/** A storage node of a Session network. */
import { type NodeContext, type RunningNode, runNode } from '../node-kit/index.ts';
import image from './image.json' with { type: 'json' };
import { startStorage } from './start-storage.ts';

await runNode(image, import.meta.url, async (node: NodeContext): Promise<RunningNode> => {
  if (node.role === 'storage') return await startStorage(node);
  throw new Error(`role "${node.role}": expected storage`);
});
