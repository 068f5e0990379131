import type { Settings } from '../node-kit/index.ts';

/** The numbers that the pool goes by; defaults are those of the library, in image.json. */
export interface PoolLimits {
  /** Age from which on a pool is refreshed by itself. */
  readonly cacheExpirationMs: number;
  /** Two refreshes are at least so far apart. */
  readonly cacheMinLifetimeMs: number;
  readonly cacheMinSize: number;
  readonly cacheMinSwarmSize: number;
  /** How many nodes of the pool a refresh asks; 0: a seed is asked. */
  readonly cacheNumNodesToUseForRefresh: number;
  /** In how many of the answers a node has to be, to get into the pool. */
  readonly cacheMinPresence: number;
  readonly strikeThreshold: number;
  readonly strikeExpiryMs: number;
  /** Strikes are saved at most once in this time. */
  readonly strikeSaveMs: number;
  readonly subnetDiversity: boolean;
  readonly retryDelayMs: number;
  readonly retryDelayMaxMs: number;
  readonly fetchTimeoutMs: number;
  /** Redirects of an account that are followed without asking for a refresh. */
  readonly redirectsBeforeRefresh: number;
  /** Younger than this, no rejection refreshes the pool; also the first interval between two such refreshes. */
  readonly rejectionIntervalMs: number;
  /** `evict-only`: a 421 erases the account's entry of the swarm cache. */
  readonly evictOnRejection: boolean;
}

export function poolLimits(settings: Settings): PoolLimits {
  const number = (name: string): number => settings.number(name);
  return {
    cacheExpirationMs: number('cacheExpirationMs'),
    cacheMinLifetimeMs: number('cacheMinLifetimeMs'),
    cacheMinSize: number('cacheMinSize'),
    cacheMinSwarmSize: number('cacheMinSwarmSize'),
    cacheNumNodesToUseForRefresh: number('cacheNumNodesToUseForRefresh'),
    cacheMinPresence: number('cacheMinPresence'),
    strikeThreshold: number('strikeThreshold'),
    strikeExpiryMs: number('strikeExpiryMs'),
    strikeSaveMs: number('strikeSaveMs'),
    subnetDiversity: settings.yes('subnetDiversity'),
    retryDelayMs: number('retryDelayMs'),
    retryDelayMaxMs: number('retryDelayMaxMs'),
    fetchTimeoutMs: number('fetchTimeoutMs'),
    redirectsBeforeRefresh: number('redirectsBeforeRefresh'),
    rejectionIntervalMs: number('rejectionIntervalMs'),
    evictOnRejection: settings.yes('evictOnRejection'),
  };
}

/** 200 ms, 400, 800 … 5 s. */
export function retryDelayMs(limits: PoolLimits, failures: number): number {
  return Math.min(limits.retryDelayMaxMs, limits.retryDelayMs * 2 ** Math.max(0, failures - 1));
}
