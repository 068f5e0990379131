import { arch } from 'node:process';
import type { Engine } from '../engine/index.ts';

/** Node's name of an architecture → the engine's, which is Go's too. */
const ENGINE_ARCH: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64', arm: 'arm' };

/** This machine's architecture, in the engine's words. */
export function hostArch(nodeArch: string = arch): string {
  return ENGINE_ARCH[nodeArch] ?? nodeArch;
}

/** Why what compilers of this machine make would not run in this engine; undefined when it would. */
export function whyOtherMachine(engine: Engine, nodeArch: string = arch): string | undefined {
  const here = hostArch(nodeArch);
  return engine.info.arch === here
    ? undefined
    : `the engine's machine is ${engine.info.arch}, and this one is ${here}`;
}
