/** A relay or a fleet of clients, whichever its role says. */
import { type NodeContext, type RunningNode, runNode } from '../node-kit/index.ts';
import { startClients } from './clients.ts';
import image from './image.json' with { type: 'json' };
import { startRelay } from './relay.ts';

await runNode(image, import.meta.url, async (node: NodeContext): Promise<RunningNode> => {
  if (node.role === 'relay') return await startRelay(node);
  if (node.role === 'client') return await startClients(node);
  throw new Error(`role "${node.role}": expected relay or client`);
});
