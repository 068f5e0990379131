import type { FaultKind } from '../fault/index.ts';

/**
 * The fault room's kinds, held complete by the type checker. Reading the names from the room itself would load its
 * Docker and Toxiproxy clients into everything that only looks at scenarios.
 */
const KINDS: Readonly<Record<FaultKind, true>> = {
  hold: true,
  drop: true,
  loss: true,
  delay: true,
  duplicate: true,
  reorder: true,
  corrupt: true,
  rate: true,
  'blackhole-connect': true,
  'blackhole-stream': true,
  'blackhole-after': true,
  refuse: true,
  reset: true,
  slow: true,
  slice: true,
  limit: true,
  throttle: true,
  'stand-in': true,
  'storm-421': true,
  pause: true,
  kill: true,
  stop: true,
  restart: true,
  'disk-full': true,
  'memory-limit': true,
  'cpu-quota': true,
  'clock-offset': true,
};

export const KNOWN_FAULT_KINDS = Object.keys(KINDS) as FaultKind[];
