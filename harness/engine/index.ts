/**
 * engine: finding, starting and speaking to a container engine through one narrow port.
 *
 *     DOCKER_HOST → context → rootless → default → desktop → embedded ─▶ negotiate the API ─▶ Engine
 *
 * Not here: what a bed is made of (testnet), where images come from (image), what faults need of the kernel (host).
 */
export { type ConnectOptions, connectEngine } from './connect-engine.ts';
export { type EmbeddedOptions, ensureEmbeddedEngine, whyNotEmbedded } from './embedded-start.ts';
export { embeddedStatus, stopEmbeddedEngine } from './embedded-stop.ts';
export { addressEnvironment, connectTo, type EngineAddress, engineAddress } from './engine-address.ts';
export { hasCode } from './engine-errors.ts';
export { type EngineHome, engineHome } from './engine-home.ts';
export type { FakeProcess, FakeProgram } from './fake-container.ts';
export { FakeEngine, type FakeEngineOptions } from './fake-engine.ts';
export {
  type EngineSearch,
  type FindEngineOptions,
  findEngine,
  searchEngine,
} from './find-engine.ts';
export { MAX_LINE_BYTES } from './line-assembler.ts';
export type { StrategyTrace } from './strategies.ts';
export type * from './types.ts';
