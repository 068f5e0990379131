/** The agent under test, or the one that it is to be connected with; the roles differ in their settings alone. */
import { runNode } from '../node-kit/index.ts';
import { startAgent } from './agent-node.ts';
import image from './image.json' with { type: 'json' };

await runNode(image, import.meta.url, (node) => startAgent(node));
