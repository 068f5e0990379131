import { setTimeout as sleepMs } from 'node:timers/promises';
import type { TrialClock } from './ports.ts';

/** CLOCK_MONOTONIC of this host. */
export const systemClock: TrialClock = {
  nowNs: () => Number(process.hrtime.bigint()),
  async sleepUntilNs(instantNs, signal) {
    signal.throwIfAborted();
    for (;;) {
      const leftMs = (instantNs - Number(process.hrtime.bigint())) / 1e6;
      if (leftMs <= 0) return;
      try {
        // Timers may fire a little early; the rest is slept again.
        await sleepMs(Math.min(Math.ceil(leftMs), 2 ** 31 - 1), undefined, { signal });
      } catch (error) {
        throw signal.aborted ? signal.reason : error;
      }
    }
  },
};
