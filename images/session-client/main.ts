/** Clients of Session: one, or a fleet of them. */
import { type NodeContext, type RunningNode, runNode } from '../node-kit/index.ts';
import { startFleet } from './fleet.ts';
import image from './image.json' with { type: 'json' };

await runNode(image, import.meta.url, async (node: NodeContext): Promise<RunningNode> => {
  if (node.role === 'client') return await startFleet(node);
  throw new Error(`role "${node.role}": expected client`);
});
