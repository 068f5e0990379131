/** A node of a replication network: a holder, or one that joins. */
import { type NodeContext, type RunningNode, runNode } from '../node-kit/index.ts';
import { adminHandlers } from './admin-handlers.ts';
import image from './image.json' with { type: 'json' };
import { nodeState } from './node-state.ts';
import { startFetchNode } from './start-fetch-node.ts';

await runNode(image, import.meta.url, async (context: NodeContext): Promise<RunningNode> => {
  if (context.role !== 'holder' && context.role !== 'joiner')
    throw new Error(`role "${context.role}": expected holder or joiner`);
  const node = await startFetchNode(context);
  if (context.role === 'joiner' && context.settings.text('join') === 'start') void node.join();
  return { state: () => nodeState(node), handlers: adminHandlers(node), stop: () => node.stop() };
});
