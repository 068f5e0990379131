/** The registry of a Session network. */
import { type NodeContext, type RunningNode, runNode } from '../node-kit/index.ts';
import image from './image.json' with { type: 'json' };
import { startRegistry } from './registry.ts';

await runNode(image, import.meta.url, async (node: NodeContext): Promise<RunningNode> => {
  if (node.role === 'registry') return await startRegistry(node);
  throw new Error(`role "${node.role}": expected registry`);
});
