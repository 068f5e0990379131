import type { HostSource } from './host-source.ts';

const STEP_MAX_MS = 50;
const TRIES = 5;
/** Two monotonic readings around the wall clock's: further apart, we were interrupted and the pair says nothing. */
const PAIR_MAX_MS = 1;

export interface Clocks {
  monotonicMs(): number;
  wallMs(): number;
}

/** Steps of the wall clock against the monotonic one between two samples (slewing stays far below a millisecond). */
export function clockSources(clocks: Clocks): HostSource[] {
  let last: number | undefined;
  return [
    {
      name: 'clock step',
      unit: 'ms',
      threshold: STEP_MAX_MS,
      reason: 'nodes that read the wall clock saw time jump',
      fold: 'highest',
      read: async () => {
        const offset = readOffset(clocks);
        if (offset === undefined) return undefined;
        const step = last === undefined ? undefined : Math.abs(offset - last);
        last = offset;
        return step;
      },
    },
  ];
}

function readOffset(clocks: Clocks): number | undefined {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const before = clocks.monotonicMs();
    const wall = clocks.wallMs();
    const after = clocks.monotonicMs();
    if (after - before <= PAIR_MAX_MS) return wall - (before + after) / 2;
  }
  return undefined;
}
