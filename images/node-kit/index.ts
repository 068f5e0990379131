/**
 * node-kit: what every TypeScript image of ours needs, so that an image is only what its system does.
 *
 *   main.ts:  runNode(description, import.meta.url, async (node) => ({ state, handlers, stop }))
 *
 *   main thread   admin port on loopback (/healthz /state /reset /clock /storm), signals; never busy with the node's work
 *   worker        the node itself: settings, led clock, seeded chance, events; a reset ends it and starts it anew
 *
 * Settings come from the environment as image.json has them; problems are all told at once, exit 3. Events are JSON lines
 * on stdout with monoNs (CLOCK_MONOTONIC) and a seq that goes on over resets; free text goes to stderr. SIGTERM ends
 * everything within a second. Not here: what a node does, and anything that the harness does.
 */
export type { AdminAnswer, AdminHandler } from './admin-answer.ts';
export type { ImageFacts, SettingFacts } from './image-facts.ts';
export type { NodeContext, RunningNode, StartNode } from './node-context.ts';
export { runNode } from './run-node.ts';
export type { Settings } from './settings.ts';
