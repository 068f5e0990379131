import type { Settings } from '../node-kit/index.ts';
import { INVALID_SWARM_ID, nodeIdentity } from '../session-kit/index.ts';
import type { PoolNode } from './pool-node.ts';
import type { PathLimits } from './router-ports.ts';

export function pathLimits(settings: Settings): PathLimits {
  const number = (name: string): number => settings.number(name);
  return {
    pathLength: number('pathLength'),
    pathCount: number('pathCount'),
    pathStrikeThreshold: number('pathStrikeThreshold'),
    pathBuildRetries: number('pathBuildRetries'),
    pathRotationMs: number('pathRotationMs'),
    edgeDurationMs: number('edgeDurationMs'),
    retryDelayMs: number('retryDelayMs'),
    retryDelayMaxMs: number('retryDelayMaxMs'),
    infoTimeoutMs: number('infoTimeoutMs'),
  };
}

/** Nodes that the pool is first fetched from; name@address or name@address:port. @throws Error for another text */
export function seedNodes(settings: Settings, seed: string): readonly PoolNode[] {
  return settings.list('seeds').map((text) => {
    const [, name, ip, port] = /^([^@]+)@([\d.]+)(?::(\d+))?$/.exec(text) ?? [];
    if (name === undefined || ip === undefined)
      throw new Error(
        `SQUALL_SEEDS: ${JSON.stringify(text)} found; expected name@address or name@address:port`,
      );
    const httpsPort = port === undefined ? settings.number('port') : Number(port);
    return { ed25519: nodeIdentity(seed, name).ed25519, swarmId: INVALID_SWARM_ID, ip, httpsPort };
  });
}

/** Names of nodes by their keys. */
export function nodeNames(settings: Settings, seed: string): ReadonlyMap<string, string> {
  const names = [...settings.list('nodes'), ...settings.list('seeds')].map(
    (text) => text.split('@')[0] ?? text,
  );
  return new Map(names.map((name) => [nodeIdentity(seed, name).ed25519, name]));
}
